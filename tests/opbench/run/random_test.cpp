// Random operators: sizes, dtypes and strides as ATen's, numbers that their distributions allow, and mistakes that are found.
#include <ATen/core/Tensor.h>
#include <doctest/doctest.h>

#include <regex>

#include "inputs/convert.h"
#include "ir/text/text.h"
#include "opbench/check/correctness_check.h"
#include "runtime/callable.h"
#include "runtime/contenders/plan/callables.h"
#include "runtime/device.h"
#include "runtime/devices/open.h"
#include "runtime/workloads/call.h"
#include "tests/opbench/run/operators.h"
#include "tests/runtime/cpu/cpus.h"
#include "tests/runtime/sample.h"

using namespace opbench;

namespace {

runtime::Device& cpu() {
  static const std::unique_ptr<runtime::Device> device = runtime::openDevice("cpu", 2);
  return *device;
}

/// A call, its check, and its plan.
struct Drawn {
  Drawn(const std::string& op, const std::string& recorded, ir::DType dtype = ir::DType::F32, inputs::Data data = {})
      : call(inputs::convert(tests::sample(op, recorded), dtype, false), cpu(), 1, data),
        correctness(call, op, Tolerances::standard()) {
    correctness.begin(1, data);
    compileFor(cpu().target());
  }

  void compileFor(const ir::Target& target) { plan = codegen::compile(call.graph(correctness.reference().eager), target); }

  Verdict judge(runtime::CallablePtr callable) {
    const auto trial = cpu().prepare(*callable, call);
    const Verdict verdict = correctness.judge(*trial);
    CHECK(correctness.determinism(*trial) == Determinism::Bitwise);
    return verdict;
  }
  Verdict judgeEager() { return judge(runtime::eagerCallable(call)); }
  Verdict judgeGenerated() { return judge(runtime::plannedCallable(call, plan, cpu(), runtime::Cache())); }

  /// Puts one text of the kernel, a regular expression, in the place of another.
  void replace(const std::string& text, const std::string& by) {
    ir::Kernel& kernel = plan.kernels.at(0);
    const std::string whole = ir::toText(kernel), other = std::regex_replace(whole, std::regex(text), by);
    REQUIRE_MESSAGE(other != whole, whole);
    ir::Kernel changed = ir::parseKernel(other);
    for (size_t i = 0; i < kernel.params.size(); ++i) changed.params[i].buffer.value = kernel.params[i].buffer.value;
    kernel = std::move(changed);
    plan.programs.at(0) = codegen::programOf(kernel, cpu().target());
  }

  runtime::Call call;
  CorrectnessCheck correctness;
  codegen::Plan plan;
};

class RandomOperators : public tests::Operators {
 public:
  /// Checks a call interpreted, compiled and as CUDA, and that what ATen draws passes the same check.
  void draws(const std::string& op, const std::string& recorded) {
    CAPTURE(op);
    CAPTURE(recorded);
    compare(op, recorded);
    for (ir::DType dtype : {ir::DType::F16, ir::DType::BF16, ir::DType::F32, ir::DType::F64}) {
      CAPTURE(ir::name(dtype));
      Drawn drawn(op, recorded, dtype);
      CHECK(drawn.judgeEager().message == "");
      for (const ir::Target& target : tests::cpusAtHand(2)) {
        CAPTURE(target.arch);
        drawn.compileFor(target);
        CHECK(drawn.judgeGenerated().message == "");
      }
    }
  }
};

/// What a mistake in the kernel of a call is found by.
std::string mistake(const std::string& op, const std::string& recorded, const std::string& text, const std::string& by) {
  Drawn drawn(op, recorded);
  drawn.replace(text, by);
  return drawn.judgeGenerated().message;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

const std::string place = "(i[^()\\[\\]\\n]*l0)";  // of an element
const std::string coin = "((T([64, 96], f16), 0.25), {})";

}  // namespace

TEST_CASE_FIXTURE(RandomOperators, "coins") {
  draws("aten.bernoulli_.float", "((T([64, 96], f16), 0.25), {})");
  draws("aten.bernoulli_.float", "((T([64, 1, 1], f16),), {})");
  draws("aten.bernoulli_.float", "((T([16, 9, 7], f16, stride=(1, 112, 16)), 0.9), {})");
  draws("aten.bernoulli_.float", "((T([30, 40], f16, stride=(100, 2)), 0.5), {})");
  draws("aten.bernoulli_.float", "((T([33, 31], f16), 0.0), {})");
  draws("aten.bernoulli_.float", "((T([33, 31], f16), 1.0), {})");
  draws("aten.bernoulli_.float", "((T([300], i64), 0.5), {})");
  draws("aten.bernoulli_.Tensor", "((T([16, 9, 7], f16), T([9, 1], f16)), {})");
  draws("aten.bernoulli.default", "((T([64, 33], f16),), {})");
  draws("aten.bernoulli.p", "((T([64, 33], f16), 0.75), {})");
  draws("aten.bernoulli.p", "((T([0, 33], f16), 0.75), {})");
  draws("aten.bernoulli.p", "((T([], f16), 0.75), {})");
}

TEST_CASE_FIXTURE(RandomOperators, "dropout") {
  draws("aten.native_dropout.default", "((T([64, 96], f16), 0.1, True), {})");
  draws("aten.native_dropout.default", "((T([5, 7, 11], f16), 0.5, None), {})");
  draws("aten.native_dropout.default", "((T([16, 96], f16, stride=(1, 16)), 0.5, False), {})");
  draws("aten.native_dropout.default", "((T([33, 31], f16), 0.0, True), {})");
  draws("aten.native_dropout.default", "((T([33, 31], f16), 1.0, True), {})");
  draws("aten.dropout.default", "((T([64, 96], f16), 0.2, True), {})");
  draws("aten.dropout_.default", "((T([64, 96], f16), 0.2, True), {})");
  compare("aten.native_dropout_backward.default", "((T([5, 33], f16), T([5, 33], b8), 1.25), {})");
}

TEST_CASE("dropped infinities and NaN are NaN, kept ones stay, with a mask and without") {
  for (const std::string op : {"aten.native_dropout.default", "aten.dropout.default"})
    for (ir::DType dtype : {ir::DType::F16, ir::DType::F32}) {
      Drawn drawn(op, "((T([64, 96], f16), 0.3, True), {})", dtype, {inputs::Distribution::Specials});
      CHECK(drawn.judgeEager().message == "");
      for (const ir::Target& target : tests::cpusAtHand(2)) {
        CAPTURE(target.arch);
        drawn.compileFor(target);
        CHECK(drawn.judgeGenerated().message == "");
      }
    }
}

TEST_CASE_FIXTURE(RandomOperators, "uniform, normal and derived distributions") {
  draws("aten.rand.default", "(([64, 33],), {'dtype': f16})");
  draws("aten.rand_like.default", "((T([16, 9, 7], f16, stride=(1, 112, 16)),), {})");
  draws("aten.uniform_.default", "((T([64, 33], f16), -1.0, 3.0), {})");
  draws("aten.uniform_.default", "((T([64, 33], f16), 2.0, 2.0), {})");
  draws("aten.randn.default", "(([64, 33],), {'dtype': f16})");
  draws("aten.randn_like.default", "((T([64, 33], f16),), {})");
  draws("aten.normal_.default", "((T([64, 33], f16), 1.0, 0.5), {})");
  draws("aten.normal_functional.default", "((T([64, 33], f16), 1.0, 0.5), {})");
  draws("aten.normal.Tensor_float", "((T([64, 33], f16), 0.5), {})");
  draws("aten.normal.float_Tensor", "((1.0, T([64, 33], f16)), {})");
  draws("aten.normal.Tensor_Tensor", "((T([64, 33], f16), T([33], f16)), {})");
  draws("aten.log_normal_.default", "((T([64, 33], f16), 0.0, 0.5), {})");
  draws("aten.exponential_.default", "((T([64, 33], f16), 0.5), {})");
  draws("aten.cauchy_.default", "((T([64, 33], f16), 1.0, 0.5), {})");
  draws("aten.geometric_.default", "((T([64, 33], f16), 0.3), {})");
}

TEST_CASE_FIXTURE(RandomOperators, "integers") {
  draws("aten.randint_like.default", "((T([64, 33], f16), 10), {})");
  draws("aten.randint_like.low_dtype", "((T([64, 33], f16), -5, 6), {})");
  draws("aten.randint.low", "((-100, 1000, [64, 33]), {'dtype': i64})");
  draws("aten.randint.default", "((1, [64, 33]), {'dtype': i32})");
  draws("aten.random_.default", "((T([64, 33], i64),), {})");
  draws("aten.random_.default", "((T([64, 33], b8),), {})");
  draws("aten.random_.default", "((T([64, 33], f16),), {})");
  draws("aten.random_.to", "((T([64, 33], i32), 7), {})");
  draws("aten.random_.from", "((T([64, 33], i64), -3, 1000000000000), {})");
}

TEST_CASE("runs draw other numbers, and the same ones from the same beginning") {
  Drawn drawn("aten.rand_like.default", "((T([64, 33], f16),), {})");
  const auto callable = runtime::plannedCallable(drawn.call, drawn.plan, cpu(), runtime::Cache());
  const auto trial = cpu().prepare(*callable, drawn.call);
  trial->reseed();
  const runtime::TensorList first = runtime::clone(trial->run()), second = runtime::clone(trial->run());
  CHECK_FALSE(runtime::bitwiseEqual(first, second));
  trial->reseed();
  CHECK(runtime::bitwiseEqual(first, trial->run()));
  CHECK(runtime::bitwiseEqual(second, trial->run()));
  drawn.call.draw(2, {});
  trial->reseed();
  CHECK_FALSE(runtime::bitwiseEqual(first, trial->run()));
}

TEST_CASE("mistakes of a generator: constant bits, one word for four elements, the same four words, the same draw in each run") {
  for (const auto& [op, call] :
       std::vector<std::pair<std::string, std::string>>{{"aten.bernoulli_.float", coin},
                                                        {"aten.rand_like.default", "((T([4096], f16),), {})"},
                                                        {"aten.randn_like.default", "((T([4096], f16),), {})"},
                                                        {"aten.randint_like.default", "((T([4096], f16), 10), {})"}}) {
    CAPTURE(op);
    CHECK(contains(mistake(op, call, place, "($1)*0"), "output 0 is not random: its mean is off"));
    CHECK(contains(mistake(op, call, place, "floordiv($1, 4)*4"), "elements that are 1 apart depend on each other"));
    CHECK(contains(mistake(op, call, place, "mod($1, 4)"), "output 0 is not random"));
    CHECK(mistake(op, call, "random\\[1\\]", "0") == "two runs drew the same random numbers");
  }
}

TEST_CASE("mistakes of an operator: a chance that is ignored, a mask that is not used, another scale") {
  CHECK(contains(mistake("aten.bernoulli_.float", coin, "f32\\(0.25\\)", "f32(0.5)"), "its mean is off"));
  const std::string op = "aten.native_dropout.default", call = "((T([64, 96], f16), 0.2, True), {})";
  CHECK(contains(mistake(op, call, "f32\\(1.25\\)", "f32(1.3)"), "output 0 is wrong"));
  CHECK(contains(mistake(op, call, " \\* f32\\(t0\\)", ""), "output 0 is wrong"));
  CHECK(contains(mistake(op, call, "f32\\(0.8\\)", "f32(0.9)"), "output 1 is not random: its mean is off"));
}
