#include "opbench/verbs/registrations.h"

#include <doctest/doctest.h>

#include "ir/error.h"
#include "runtime/torch/operator_names.h"

using opbench::checkRegistrations;

namespace {

std::string refusalOf(const std::vector<lowering::Registration>& registrations) {
  try {
    checkRegistrations(registrations, {"aten.mish.default", "aten.pow.Scalar", "aten.softshrink.default"});
  } catch (const ir::Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a lowering has the name of an operator or of an overload") {
  CHECK(refusalOf({{"aten::mish", "lowering/a.cpp:7"}, {"aten::pow.Scalar", "lowering/b.cpp:9"}}) == "");
}

TEST_CASE("a lowering whose name ATen does not have is refused with its place, not passed over") {
  CHECK(refusalOf({{"aten::mish", "lowering/a.cpp:7"}, {"aten::sofshrink", "lowering/a.cpp:8"}}) ==
        "lowering/a.cpp:8: ATen has no operator aten::sofshrink; did you mean aten::softshrink?");
}

TEST_CASE("two lowerings of one name are refused with both places") {
  CHECK(refusalOf({{"aten::mish", "lowering/a.cpp:7"}, {"aten::mish", "lowering/b.cpp:3"}}) ==
        "lowering/b.cpp:3: aten::mish has a lowering already, at lowering/a.cpp:7: remove one of them");
}

TEST_CASE("all lowerings of this build are of operators that ATen has") {
  const auto registrations = lowering::registrations();
  CHECK(registrations.size() > 100);
  CHECK(registrations.front().place.starts_with("lowering/"));
  CHECK_NOTHROW(checkRegistrations(registrations, runtime::operatorNames()));
}

TEST_CASE("an operator of which there is no sample is said to be lowered, and where, or not") {
  const auto textOf = [](const std::string& pattern) {
    return opbench::loweringsText({pattern}, lowering::registrations(), runtime::operatorNames());
  };
  CHECK(textOf("silu.default").starts_with("aten.silu.default: lowered in lowering/"));
  CHECK(textOf("aten.relu_.default").starts_with("aten.relu_.default: lowered in lowering/"));
  CHECK(textOf("aten.linalg_svd.default") ==
        "aten.linalg_svd.default: no lowering: ATen computes it; no sample of it in the files read\n");
  CHECK(textOf("aten.frobnicate") == "");
}
