#include "opbench/check/examination.h"

#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>
#include <c10/core/InferenceMode.h>
#include <doctest/doctest.h>

#include <cmath>
#include <deque>
#include <functional>

#include "runtime/callable.h"
#include "runtime/torch/call_state.h"
#include "runtime/torch/state.h"
#include "tests/runtime/sample.h"

using namespace opbench;

namespace {

runtime::Device& cpu() {
  static const std::unique_ptr<runtime::Device> device = runtime::Device::open("cpu", 1);
  return *device;
}

/// A call and its examination on data of seed 1.
struct Examined {
  Examined(const std::string& op, const std::string& text, inputs::Data data = {})
      : call(tests::sample(op, text), cpu(), 1, data), examination(call, op, Tolerances::standard()) {
    examination.begin(1, data);
  }
  /// Eager's result, changed.
  Verdict verdictOn(const std::function<void(std::vector<at::Tensor>&)>& change) {
    const c10::InferenceMode guard;
    runtime::TensorList found = runtime::clone(examination.truth().eager);
    change(found.state().tensors);
    return check(found, examination.truth(), call, Tolerances::standard().criterionFor(call.state().op), Tolerances::standard());
  }

  runtime::Call call;
  Examination examination;
};

std::string vacuous(const std::string& op, const std::string& text, inputs::Data data = {}) {
  const Examined examined(op, text, data);
  return examined.examination.vacuous() + " / " + toText(examined.examination.data());
}

/// Hands out prepared results, one a run.
class Prepared : public runtime::Trial {
 public:
  explicit Prepared(std::deque<at::Tensor> results) : results_(std::move(results)) {}
  runtime::TensorList run() override {
    latest_ = runtime::makeTensorList({results_.front()});
    results_.pop_front();
    return latest_;
  }
  runtime::TensorList outputs() const override { return latest_; }
  bool prepareFor(runtime::Measure) override { return false; }
  void queue(runtime::Measure) override {}
  void collect(std::vector<double>&) override {}

 private:
  std::deque<at::Tensor> results_;
  runtime::TensorList latest_;
};

}  // namespace

TEST_CASE("nothing is wider than f64: eager's own rounding may be as large as that of sums over all there is") {
  Examined f64("aten.native_batch_norm.default",
               "((T([4, 3, 28, 28], f64), T([3], f64), T([3], f64), T([3], f64), T([3], f64), True, 0.1, 1e-05), {})");
  const auto times = [&](double factor) {
    return f64.verdictOn([&](std::vector<at::Tensor>& found) { found[0].mul_(factor); }).ok;
  };
  CHECK(times(1 + 1e-14));
  CHECK_FALSE(times(1 + 1e-8));  // as rounding to f32 would
}

TEST_CASE("a check is vacuous where results that take no work would pass") {
  CHECK(vacuous("aten.gelu.default", "((T([30, 40], f32),), {})") == " / normal");
  CHECK(vacuous("aten.gelu.default", "((T([30, 40], f32),), {})", {inputs::Distribution::Zeros}) ==
        "zeros would pass for output 0 / zeros");
  CHECK(vacuous("aten.mul.Tensor", "((T([30, 40], f32), 0), {})") == "zeros would pass for output 0 / normal");
  CHECK(vacuous("aten.mul.Tensor", "((T([30, 40], f32), 1), {})") == "a copy of argument 0 would pass for output 0 / normal");
}

TEST_CASE("other data are drawn until the check says something: larger, smaller, positive, around levels") {
  CHECK(vacuous("aten.hardtanh.default", "((T([3000], f32), -10, 10), {})") == " / normal x 16");
  CHECK(vacuous("aten.all.default", "((T([3000], b8),), {})") == " / positive");
  CHECK(vacuous("aten.var_mean.correction", "((T([2, 2400001], f32), [1]), {'correction': 1})") == " / levels");
}

TEST_CASE("where no data can make a difference, the check says why") {
  CHECK(vacuous("aten.sum.default", "((T([0, 4], f32),), {})") ==
        "zeros would pass for output 0, whatever is drawn: the arguments hold no elements / normal");
  CHECK(vacuous("aten.sum.dim_IntList", "((T([16, 1000], f32, stride=(0, 0)), [0], True), {})") ==
        "the mean would pass for output 0, whatever is drawn: each argument repeats a single element / normal");
}

TEST_CASE("copies of an argument and constants are no fault where the operator makes them") {
  CHECK(vacuous("aten.clone.default", "((T([30, 40], f32),), {})") == " / normal");
  CHECK(vacuous("aten.clone.default", "((T([30, 40], f32),), {})", {inputs::Distribution::Zeros}) ==
        "zeros would pass for output 0 / zeros");
  CHECK(vacuous("aten.zeros_like.default", "((T([30, 40], f32),), {})") == " / normal");
  CHECK(vacuous("aten.bernoulli_.float", "((T([30, 40], f32), 0.5), {})") == " / normal");
}

TEST_CASE("on other data what was computed before is wrong, and what computes again is right") {
  Examined examined("aten.exp.default", "((T([300], f32),), {})");
  const auto callable = runtime::eagerCallable(examined.call);
  const auto trial = cpu().prepare(*callable, examined.call);
  CHECK(examined.examination.judge(*trial).ok);
  CHECK(examined.examination.isDeterministic(*trial) == true);
  examined.examination.drawAgain();
  CHECK_FALSE(examined.examination.judgeLatest(*trial).ok);
  CHECK(examined.examination.judge(*trial).ok);
  CHECK(trial->seconds() > 0);
  CHECK(examined.examination.judgeLatest(*trial).ok);
}

TEST_CASE("runs are deterministic if they give the same bits") {
  const Examined examined("aten.exp.default", "((T([4], f32),), {})");
  const at::Tensor one = at::full({4}, 1.0), other = at::full({4}, 1.0 + 1e-6);
  Prepared same({one, one.clone()}), differing({one, other});
  CHECK(examined.examination.isDeterministic(same) == true);
  CHECK(examined.examination.isDeterministic(differing) == false);
  const Examined random("aten.bernoulli_.float", "((T([4], f32), 0.5), {})");
  CHECK_FALSE(random.examination.isDeterministic(differing));
}

TEST_CASE("where eager's runs differ, the largest of their errors is eager's") {
  const c10::InferenceMode guard;
  Examined examined("aten.exp.default", "((T([300], f32),), {})");
  const Truth& truth = examined.examination.truth();
  CHECK(differingRuns(examined.call, truth).empty());
  const auto offBy = [&](double error) {
    const runtime::TensorList results = runtime::clone(truth.eager);
    return runtime::makeTensorList({results.state().tensors[0].mul(1 + error)});
  };
  const auto verdict = [&](const Truth& given) {
    return check(offBy(1e-3), given, examined.call, Tolerances::standard().criterionFor("aten.exp.default"),
                 Tolerances::standard());
  };
  CHECK_FALSE(verdict(truth).ok);
  Truth differing = truth;
  differing.again = {offBy(1e-5), offBy(9e-4), offBy(1e-5)};
  CHECK(verdict(differing).ok);
  differing.again = {offBy(1e-5)};
  CHECK_FALSE(verdict(differing).ok);
}

TEST_CASE("what eager makes of an argument that was written wrongly is not taken for another of its runs") {
  const c10::InferenceMode guard;
  Examined examined("aten.add_.Tensor", "((T([300], f32), T([300], f32)), {})");
  const at::Tensor argument = examined.call.state().arguments[0].toTensor();
  argument.zero_();
  Prepared writesZeros({argument});
  CHECK_FALSE(examined.examination.judge(writesZeros).ok);
}

TEST_CASE("places are judged by the values there: ties have several") {
  Examined examined("aten.max.dim", "((T([6, 500], f16), 1), {})", {inputs::Distribution::SmallInt});
  const at::Tensor self = examined.call.state().arguments[0].toTensor();
  CHECK(examined.verdictOn([](auto&) {}).ok);
  const auto lastOfTies = [&](std::vector<at::Tensor>& outputs) {
    outputs[1].copy_(self.flip(1).to(at::kFloat).argmax(1).neg().add(499));
  };
  CHECK(examined.verdictOn(lastOfTies).ok);
  CHECK_FALSE(examined.verdictOn([](auto& outputs) { outputs[1].fill_(3); }).ok);
  CHECK(examined.verdictOn([](auto& outputs) { outputs[1].fill_(500); }).message == "output 1 names place 500 of 500");
}

TEST_CASE("special values: NaN and infinities are judged by where they stand") {
  Examined examined("aten.exp.default", "((T([5000], f32),), {})", {inputs::Distribution::Specials});
  CHECK(examined.examination.truth().eager.state().tensors[0].isnan().any().item<bool>());
  CHECK(examined.verdictOn([](auto&) {}).ok);
  const Verdict withoutNan = examined.verdictOn([](auto& outputs) { outputs[0].nan_to_num_(); });
  CHECK(withoutNan.message.find("are NaN or infinite on one side only") != std::string::npos);
  CHECK_FALSE(examined.verdictOn([](auto& outputs) { outputs[0][4999].fill_(NAN); }).ok);
}

TEST_CASE("the accuracy recorded is that of the output furthest off") {
  Examined examined("aten.var_mean.correction", "((T([30, 200], f32), [1]), {'correction': 1})");
  const Verdict verdict = examined.verdictOn([](auto& outputs) { outputs[1].add_(2e-6); });
  CHECK(verdict.ok);
  REQUIRE(verdict.accuracy);
  CHECK(verdict.accuracy->output == 1);
  CHECK(verdict.accuracy->maxUlp >= 2);
  CHECK(verdict.accuracy->rmse > verdict.accuracy->eagerRmse);
}
