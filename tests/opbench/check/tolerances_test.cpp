#include "opbench/check/tolerances.h"

#include <doctest/doctest.h>

#include <cmath>

#include "ir/error.h"
#include "tests/opbench/temporary_folder.h"

using namespace opbench;
using inputs::IndexKind;
using ir::DType;

namespace {

/// What is said about a table that cannot be understood, from its line on.
std::string refusal(const std::string& text) {
  const tests::UsersFile file(text);
  try {
    Tolerances().read(file.path);
  } catch (const ir::Error& error) {
    CHECK(error.kind() == ir::ErrorKind::Input);
    const std::string message = error.what();
    REQUIRE(message.starts_with(file.path + ":"));
    return message.substr(file.path.size() + 1);
  }
  return "";
}

double tolerance(DType dtype, bool hasReference, double terms = 1) {
  return Tolerances::standard().limit({}, dtype, hasReference, terms).element;
}

Criterion criterion(const std::string& op) { return Tolerances::standard().criterionFor(op); }

}  // namespace

TEST_CASE("what is cumulative is combined from the elements before it") {
  CHECK(criterion("aten.cumsum.default").isCumulative);
  CHECK(criterion("aten.logcumsumexp.default").isCumulative);
  CHECK_FALSE(criterion("aten.sum.default").isCumulative);
  CHECK(refusal("operators:\n  - names: [sum]\n    combines: after\n") ==
        "3: unknown way of combining 'after'; choose from arguments, before");
}

TEST_CASE("tolerances by dtype, doubled where eager itself is the reference") {
  CHECK(tolerance(DType::F64, true) == 1e-7);
  CHECK(tolerance(DType::F32, true) == 1e-4);
  CHECK(tolerance(DType::F16, true) == 1e-3);
  CHECK(tolerance(DType::BF16, true) == 1e-2);
  CHECK(tolerance(DType::F8E4M3, true) == 0.07);
  CHECK(tolerance(DType::F8E5M2, true) == 0.13);
  CHECK(tolerance(DType::I64, true) == 0);
  CHECK(tolerance(DType::F16, false) == 2e-3);
}

TEST_CASE("a sum may err like a random walk of its roundings: the root of its length times the unit roundoff, four times") {
  CHECK(tolerance(DType::F32, true, 1 << 20) == doctest::Approx(1e-4 + 4 * 1024 * std::ldexp(1, -24)));
  CHECK(tolerance(DType::F16, true, 1 << 20) == doctest::Approx(1e-3 + 4 * 1024 * std::ldexp(1, -24)));
  CHECK(tolerance(DType::F64, true, 1 << 20) == doctest::Approx(1e-7 + 4 * 1024 * std::ldexp(1, -53)));
  CHECK(tolerance(DType::I64, true, 1 << 20) == 0);
}

TEST_CASE("the rule follows from the operator, in place or not") {
  CHECK(criterion("aten.add.Tensor").rule == Rule::Close);
  CHECK(criterion("aten.relu_.default").rule == Rule::Close);
  CHECK(criterion("aten.clone.default").rule == Rule::Exact);
  CHECK(criterion("aten.copy_.default").rule == Rule::Exact);
  CHECK(criterion("aten._to_copy.default").rule == Rule::Exact);
  CHECK(criterion("aten._unsafe_view.default").rule == Rule::Exact);
  CHECK(criterion("aten.masked_fill_.Scalar").rule == Rule::Exact);
  CHECK(criterion("aten.bernoulli_.float").rule == Rule::Random);
  CHECK(criterion("aten.new_empty_strided.default").rule == Rule::TypeOnly);
}

TEST_CASE("outputs that are indices, and results that may take no work") {
  CHECK((criterion("aten.argmax.default").indices == std::map<int, IndexKind>{{0, IndexKind::First}}));
  CHECK((criterion("aten.max.dim").indices == std::map<int, IndexKind>{{1, IndexKind::First}}));
  CHECK(criterion("aten.max.default").indices.empty());
  CHECK((criterion("aten.sort.default").indices == std::map<int, IndexKind>{{1, IndexKind::Distinct}}));
  CHECK((criterion("aten.sort.stable").indices == std::map<int, IndexKind>{{1, IndexKind::First}}));
  CHECK((criterion("aten.max_pool2d_with_indices.default").indices == std::map<int, IndexKind>{{1, IndexKind::Plane}}));
  CHECK(criterion("aten.clone.default").mayCopy);
  CHECK_FALSE(criterion("aten.clone.default").mayBeConstant);
  CHECK(criterion("aten.ones_like.default").mayBeConstant);
  CHECK_FALSE(criterion("aten.gelu.default").mayCopy);
  CHECK(criterion("aten.native_batch_norm.default").copies == std::set<int>{1});
  CHECK(criterion("aten.native_batch_norm.default").workspaces.empty());
  CHECK(criterion("aten._cudnn_rnn.default").workspaces == std::set<int>{3});
  CHECK(criterion("aten._scaled_dot_product_flash_attention.default").workspaces == std::set<int>{4, 5});
}

TEST_CASE("a user's file overrides: dtypes, and operators by name or glob, the last entry that says something deciding") {
  const tests::UsersFile file(
      "dtypes: {f16: 0.5}\n"
      "eager_errors: 3\n"
      "operators:\n"
      "  - {names: [gelu, 'aten.silu*'], tolerance: 0.25}\n"
      "  - {names: [aten.gelu.default], rule: exact}\n");
  Tolerances table;
  table.read(file.path);
  const Criterion gelu = table.criterionFor("aten.gelu.default"), silu = table.criterionFor("aten.silu_.default");
  CHECK(gelu.rule == Rule::Exact);
  CHECK(table.limit(gelu, DType::F32, true).element == 0.25);
  CHECK(silu.rule == Rule::Close);
  CHECK(table.limit(silu, DType::F32, true).element == 0.25);
  CHECK(table.limit({}, DType::F16, true).element == 0.5);
  CHECK(table.limit({}, DType::F32, true).element == 1e-4);
  CHECK(table.limit({}, DType::F32, true).eagerErrors == 3);
  CHECK(table.limit({}, DType::F16, true).eagerErrors == 1.05);
  CHECK(table.criterionFor("aten.clone.default").rule == Rule::Exact);
}

TEST_CASE("of what may differ from run to run bits are not asked") {
  const tests::UsersFile file("non_deterministic: [index_put, 'aten.ind?x.*', bernoulli]\n");
  Tolerances table;
  table.read(file.path);
  CHECK(table.criterionFor("aten.index_put_.default").mayVary);
  CHECK(table.criterionFor("aten.index.Tensor").rule == Rule::Close);
  CHECK(table.criterionFor("aten.bernoulli.default").rule == Rule::Random);
  CHECK_FALSE(table.criterionFor("aten.clone.default").mayVary);
  CHECK(table.criterionFor("aten.clone.default").rule == Rule::Exact);
  CHECK(refusal("non_deterministic: index_put\n") == "1: non_deterministic must be a list: `[a, b]`");
}

TEST_CASE("what cannot be understood is refused with its line and the nearest known word") {
  CHECK(refusal("dtypes:\n  f15: 1e-3\n") == "2: unknown floating dtype 'f15'; did you mean f16?");
  CHECK(refusal("operatrs: []\n") == "1: unknown key 'operatrs'; did you mean operators?");
  CHECK(refusal("operators:\n  - names: [add]\n    tolerence: 1\n") == "3: unknown key 'tolerence'; did you mean tolerance?");
  CHECK(refusal("operators:\n  - {names: [add], rule: exactly}\n") == "2: unknown rule 'exactly'; did you mean exact?");
  CHECK(refusal("operators:\n  - {names: [add], rule: 7}\n") ==
        "2: unknown rule '7'; choose from close, exact, type-only, random, network");
  CHECK(refusal("operators:\n  - {names: [{add: 1}]}\n") == "2: expected an operator name");
  CHECK(refusal("operators:\n  - {names: [sort], indices: {1.5: dim}}\n") == "2: expected the number of an output, found 1.5");
  CHECK(refusal("operators:\n  - {names: [sort], copies: [1e30]}\n") == "2: expected a number from 0 to 1000, found '1e30'");
  CHECK(refusal("operators:\n  - {names: [sort], workspaces: 1}\n") == "2: workspaces must be a list: `[a, b]`");
  CHECK(refusal("dtypes: {f16: much}\n") == "1: expected a number from 0 to 1, found 'much'");
  CHECK(refusal("dtypes: {f16: 1e308}\n") == "1: expected a number from 0 to 1, found '1e308'");
  CHECK(refusal("dtypes: {f16: 1e-3, f16: 1}\n") == "1: duplicate key 'f16'");
  CHECK(refusal("accumulation: 1e4\n") == "1: expected a number from 0 to 1000, found '1e4'");
  CHECK(refusal("dtypes: {f16: -1}\n") == "1: expected a number from 0 to 1, found '-1'");
  CHECK(refusal("operators: {add: exact}\n") == "1: operators must be a list: `[a, b]`");
  CHECK(refusal("operators:\n  - {rule: exact}\n") == "2: an entry of operators has no names");
  CHECK(refusal("dtypes: [f16\n").starts_with("2: "));
  CHECK(refusal("") == "");
  CHECK_THROWS_WITH_AS(Tolerances().read("/no/such/file.yaml"), "cannot read /no/such/file.yaml: No such file or directory",
                       ir::Error);
}
