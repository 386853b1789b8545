#include "opbench/check/correctness_check.h"

#include <ATen/ops/allclose.h>
#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>
#include <c10/core/InferenceMode.h>
#include <doctest/doctest.h>

#include <cmath>
#include <deque>
#include <functional>

#include "runtime/callable.h"
#include "runtime/devices/open.h"
#include "runtime/torch/aten_call.h"
#include "runtime/torch/state.h"
#include "runtime/workloads/call.h"
#include "tests/opbench/check/untimed_trial.h"
#include "tests/opbench/temporary_folder.h"
#include "tests/runtime/sample.h"

using namespace opbench;

namespace {

runtime::Device& cpu() {
  static const std::unique_ptr<runtime::Device> device = runtime::openDevice("cpu", 1);
  return *device;
}

/// A call and its correctness check on data of seed 1.
struct CheckedCall {
  CheckedCall(const std::string& op, const std::string& text, inputs::Data data = {},
              const Tolerances& tolerances = Tolerances::standard())
      : call(tests::sample(op, text), cpu(), 1, data), tolerances(tolerances), correctness(call, op, tolerances) {
    correctness.begin(1, data);
  }
  /// Eager's result, changed.
  Verdict verdictOn(const std::function<void(std::vector<at::Tensor>&)>& change) {
    const c10::InferenceMode guard;
    runtime::TensorList found = runtime::clone(correctness.reference().eager);
    change(found.state().tensors);
    return check(found, correctness.reference(), call, criterionOf(call, call.aten().op, tolerances), tolerances);
  }

  runtime::Call call;
  const Tolerances& tolerances;
  CorrectnessCheck correctness;
};

std::string trivialSolution(const std::string& op, const std::string& text, inputs::Data data = {}) {
  const CheckedCall checked(op, text, data);
  return checked.correctness.trivialSolution() + " / " + toText(checked.correctness.data());
}

/// Hands out prepared results, one a run.
class Prepared : public tests::UntimedTrial {
 public:
  explicit Prepared(std::deque<std::vector<at::Tensor>> results) : results_(std::move(results)) {}
  runtime::TensorList run() override {
    latest_ = runtime::makeTensorList(results_.front());
    results_.pop_front();
    return latest_;
  }

 private:
  std::deque<std::vector<at::Tensor>> results_;
};

/// The tolerances, and what a user's file says of them.
Tolerances tolerancesWith(const std::string& text) {
  const tests::UsersFile file(text);
  Tolerances tolerances;
  tolerances.read(file.path);
  return tolerances;
}

}  // namespace

TEST_CASE("nothing is wider than f64: eager's own rounding may be as large as that of sums over all there is") {
  CheckedCall f64("aten.native_batch_norm.default",
                  "((T([4, 3, 28, 28], f64), T([3], f64), T([3], f64), T([3], f64), T([3], f64), True, 0.1, 1e-05), {})");
  const auto times = [&](double factor) {
    return f64.verdictOn([&](std::vector<at::Tensor>& found) { found[0].mul_(factor); }).ok;
  };
  CHECK(times(1 + 1e-14));
  CHECK_FALSE(times(1 + 1e-8));  // as rounding to f32 would
}

TEST_CASE("an element that is far off does not hide behind one near 0 whose relative error is larger, as those of sums are") {
  CheckedCall sums("aten.sum.dim_IntList", "((T([2048, 1024], f32), [1]), {})");
  const auto verdict = [&](double small, double large) {
    return sums.verdictOn([&](std::vector<at::Tensor>& found) {
      found[0][found[0].abs().argmin().item<int64_t>()].add_(small);
      found[0][found[0].sub(4).abs().argmin().item<int64_t>()].add_(large);
    });
  };
  CHECK_MESSAGE(verdict(2.3e-4, 0).ok, verdict(2.3e-4, 0).message);
  CHECK_FALSE(verdict(0, 7.5e-4).ok);
  CHECK_FALSE(verdict(2.3e-4, 7.5e-4).ok);
}

TEST_CASE("the trivial-solution check finds results that take no work and would pass") {
  CHECK(trivialSolution("aten.gelu.default", "((T([30, 40], f32),), {})") == " / normal");
  CHECK(trivialSolution("aten.gelu.default", "((T([30, 40], f32),), {})", {inputs::Distribution::Zeros}) ==
        "zeros would pass for output 0 / zeros");
  CHECK(trivialSolution("aten.mul.Tensor", "((T([30, 40], f32), 0), {})") == "zeros would pass for output 0 / normal");
  CHECK(trivialSolution("aten.mul.Tensor", "((T([30, 40], f32), 1), {})") ==
        "a copy of argument 0 would pass for output 0 / normal");
}

TEST_CASE("other data are drawn until the check says something: larger, smaller, positive, around levels") {
  CHECK(trivialSolution("aten.hardtanh.default", "((T([3000], f32), -10, 10), {})") == " / normal x 16");
  CHECK(trivialSolution("aten.all.default", "((T([3000], b8),), {})") == " / positive");
  CHECK(trivialSolution("aten.var_mean.correction", "((T([2, 2400001], f32), [1]), {'correction': 1})") == " / levels");
}

TEST_CASE("where no data can make a difference, the check says why") {
  CHECK(trivialSolution("aten.sum.default", "((T([0, 4], f32),), {})") ==
        "zeros would pass for output 0, whatever is drawn: the arguments hold no elements / normal");
  CHECK(trivialSolution("aten.sum.dim_IntList", "((T([16, 1000], f32, stride=(0, 0)), [0], True), {})") ==
        "the mean would pass for output 0, whatever is drawn: each argument repeats a single element / normal");
}

TEST_CASE("copies of an argument and constants are no fault where the operator makes them") {
  CHECK(trivialSolution("aten.clone.default", "((T([30, 40], f32),), {})") == " / normal");
  CHECK(trivialSolution("aten.clone.default", "((T([30, 40], f32),), {})", {inputs::Distribution::Zeros}) ==
        "zeros would pass for output 0 / zeros");
  CHECK(trivialSolution("aten.zeros_like.default", "((T([30, 40], f32),), {})") == " / normal");
  CHECK(trivialSolution("aten.bernoulli_.float", "((T([30, 40], f32), 0.5), {})") == " / normal");
}

TEST_CASE("on other data what was computed before is wrong, and what computes again is right") {
  CheckedCall checked("aten.exp.default", "((T([300], f32),), {})");
  const auto callable = runtime::eagerCallable(checked.call);
  const auto trial = cpu().prepare(*callable, checked.call);
  CHECK(checked.correctness.judge(*trial).ok);
  CHECK(checked.correctness.determinism(*trial) == Determinism::Bitwise);
  CHECK(checked.correctness.drawNext());
  CHECK_FALSE(checked.correctness.judgeLatest(*trial).ok);
  CHECK(checked.correctness.judge(*trial).ok);
  CHECK(trial->seconds() > 0);
  CHECK(checked.correctness.judgeLatest(*trial).ok);
}

TEST_CASE("results lie as eager's do, unless it is said of a trial that they need not") {
  const CheckedCall checked("aten.exp.default", "((T([4, 6], f32),), {})");
  const at::Tensor right = checked.correctness.reference().eager.state().tensors[0];
  using Results = std::vector<at::Tensor>;
  const Results transposed{right.t().contiguous().t()};
  Prepared strict({transposed, transposed}), lax({transposed, transposed});
  CHECK(checked.correctness.judge(strict).message == "output 0 is f32[4, 6] strides (1, 4) where eager's is f32[4, 6]");
  lax.anyStrides = true;
  CHECK(checked.correctness.judge(lax).ok);
}

TEST_CASE("runs are deterministic if they give the same bits") {
  const CheckedCall checked("aten.exp.default", "((T([4], f32),), {})");
  const at::Tensor one = at::full({4}, 1.0), other = at::full({4}, 1.0 + 1e-6);
  using Results = std::vector<at::Tensor>;
  Prepared same({Results{one}, Results{one.clone()}}), differing({Results{one}, Results{other}});
  CHECK(checked.correctness.determinism(same) == Determinism::Bitwise);
  CHECK(checked.correctness.determinism(differing) == Determinism::Neither);
  const at::Tensor right = checked.correctness.reference().eager.state().tensors[0];
  Prepared within({Results{right}, Results{right.mul(1 + 1.2e-7)}});
  CHECK(checked.correctness.determinism(within) == Determinism::WithinTolerance);
  const CheckedCall unwritten("aten.empty_like.default", "((T([4], f32),), {})");
  CHECK_FALSE(unwritten.correctness.determinism(differing));
}

TEST_CASE("random numbers begin anew for each of two runs that are to be the same, and must not be the same without") {
  CheckedCall random("aten.bernoulli_.float", "((T([100], f32), 0.5), {})");
  const runtime::CallablePtr eager = runtime::eagerCallable(random.call);
  const auto trial = cpu().prepare(*eager, random.call);
  CHECK(random.correctness.determinism(*trial) == Determinism::Bitwise);
  CHECK(random.correctness.judge(*trial).message == "");
  const at::Tensor once = trial->run().state().tensors[0].clone();
  using Results = std::vector<at::Tensor>;
  Prepared same({Results{once}, Results{once.clone()}});
  CHECK(random.correctness.judge(same).message == "two runs drew the same random numbers");
}

TEST_CASE("where eager's runs differ, the largest of their errors is eager's") {
  const c10::InferenceMode guard;
  CheckedCall checked("aten.exp.default", "((T([300], f32),), {})");
  const Reference& reference = checked.correctness.reference();
  CHECK(differingRuns(checked.call, reference).empty());
  const auto offBy = [&](double error) {
    const runtime::TensorList results = runtime::clone(reference.eager);
    return runtime::makeTensorList({results.state().tensors[0].mul(1 + error)});
  };
  const auto verdict = [&](const Reference& given) {
    return check(offBy(1e-3), given, checked.call, Tolerances::standard().criterionFor("aten.exp.default"),
                 Tolerances::standard());
  };
  CHECK_FALSE(verdict(reference).ok);
  Reference differing = reference;
  differing.again = {offBy(1e-5), offBy(9e-4), offBy(1e-5)};
  CHECK(verdict(differing).ok);
  differing.again = {offBy(1e-5)};
  CHECK_FALSE(verdict(differing).ok);
}

TEST_CASE("where eager differs from itself on contiguous copies, their result is the one to compare with") {
  const c10::InferenceMode guard;
  const std::string strided = "T([6, 10, 12], f32, stride=(120, 1, 10))";
  CheckedCall checked("aten.native_group_norm_backward.default",
                      "((" + strided + ", " + strided +
                          ", T([6, 10], f32), T([6, 10], f32), T([10], f32), 6, 10, 12, 10, [True, True, True]), {})");
  const std::vector<at::Tensor> atensMistake = runtime::clone(checked.correctness.reference().eager).state().tensors;
  const std::vector<at::Tensor> right = checked.call.runEagerOnContiguous().eager.state().tensors;
  std::vector<at::Tensor> wrong = right;
  wrong[0] = wrong[0].add(1);
  Prepared contender({right, wrong, atensMistake});
  // ATen of torch 2.14 no longer makes this mistake.
  const bool errs = !at::allclose(atensMistake[0], right[0], 1e-3, 1e-3);
  const std::string doubt = errs ? "eager's result for these strides differs from its own for contiguous copies" : "";
  const Verdict verdict = checked.correctness.judge(contender);
  CHECK(verdict.ok);
  CHECK(verdict.doubt == doubt);
  const Verdict other = checked.correctness.judge(contender);
  CHECK_FALSE(other.ok);
  if (errs) CHECK(other.message.ends_with("; " + doubt));
  CHECK(checked.correctness.judge(contender).ok);
}

TEST_CASE("what eager makes of contiguous copies lies as its results do, and is not asked of what computes with strides") {
  const c10::InferenceMode guard;
  const auto onContiguous = [](const std::string& op, const std::string& call) {
    return runtime::Call(tests::sample(op, call), cpu(), 1).runEagerOnContiguous().eager;
  };
  const runtime::TensorList results = onContiguous("aten.neg.default", "((T([6, 10], f32, stride=(1, 6)),), {})");
  CHECK(results.type(0).strides == std::vector<int64_t>{1, 6});
  CHECK_FALSE(onContiguous("aten.neg.default", "((T([6, 10], f32),), {})"));
  CHECK_FALSE(onContiguous("aten.as_strided_copy.default", "((T([6, 10], f32, stride=(1, 6)), [4], [3]), {})"));
}

TEST_CASE("what eager makes of an argument that was written wrongly is not taken for another of its runs") {
  const c10::InferenceMode guard;
  CheckedCall checked("aten.add_.Tensor", "((T([300], f32), T([300], f32)), {})");
  const at::Tensor argument = checked.call.aten().arguments[0].toTensor();
  argument.zero_();
  Prepared writesZeros({std::vector<at::Tensor>{argument}});
  CHECK_FALSE(checked.correctness.judge(writesZeros).ok);
}

TEST_CASE("an argument that is only read must not be written, and is as it was for those who come after") {
  const c10::InferenceMode guard;
  CheckedCall checked("aten.add.Tensor", "((T([300], f32), T([300], f16)), {})");
  const std::vector<at::Tensor> eager = runtime::clone(checked.correctness.reference().eager).state().tensors;
  Prepared right({eager, eager});
  CHECK(checked.correctness.judge(right).ok);
  checked.call.aten().arguments[1].toTensor()[299] = 77;
  CHECK(checked.correctness.judge(right).message == "tensor 1 of those that the operator only reads was written");
  Prepared after({eager});
  CHECK(checked.correctness.judge(after).ok);
}

TEST_CASE("after normal data come data far from zero, of all magnitudes, and special ones; after others more of the same") {
  CheckedCall normal("aten.neg.default", "((T([90, 40], f32),), {})");
  const auto argument = [&] { return normal.call.aten().arguments[0].toTensor(); };
  CHECK(normal.correctness.drawNext());
  CHECK(argument().gt(200).all().item<bool>());
  CHECK(normal.correctness.drawNext());
  CHECK(argument().abs().gt(100).any().item<bool>());
  CHECK(argument().abs().lt(0.01).any().item<bool>());
  CHECK(normal.correctness.drawNext());
  CHECK(argument().isnan().any().item<bool>());
  CHECK_FALSE(normal.correctness.drawNext());
  normal.correctness.drawToTime();
  CHECK(argument().abs().lt(10).all().item<bool>());
  CheckedCall positive("aten.neg.default", "((T([5000], f32),), {})", {inputs::Distribution::Positive});
  CHECK(positive.correctness.drawNext());
  CHECK(positive.call.aten().arguments[0].toTensor().gt(0).all().item<bool>());
  CHECK_FALSE(positive.correctness.drawNext());
}

TEST_CASE("the first of equal extremes is the right one, and stable sorting keeps the order of equal values") {
  const c10::InferenceMode guard;
  for (const char* op : {"aten.argmax.default", "aten.max.dim"}) {
    CheckedCall ties(op, "((T([1, 4], f32), 1), {})", {inputs::Distribution::Zeros});
    CHECK(ties.verdictOn([](auto&) {}).ok);
    CHECK_FALSE(ties.verdictOn([](auto& outputs) { outputs.back().fill_(3); }).ok);
  }
  const auto reversed = [](auto& outputs) { outputs[1] = outputs[1].flip(-1).contiguous(); };
  CheckedCall sorted("aten.sort.default", "((T([4], f32),), {})", {inputs::Distribution::Zeros});
  CHECK(sorted.verdictOn(reversed).ok);
  CheckedCall stable("aten.sort.stable", "((T([4], f32),), {'stable': True})", {inputs::Distribution::Zeros});
  CHECK_FALSE(stable.verdictOn(reversed).ok);
}

TEST_CASE("zeros of what moves values have eager's sign; sums may have either") {
  const c10::InferenceMode guard;
  const auto negate = [](auto& outputs) { outputs[0].neg_(); };
  CheckedCall moved("aten.clone.default", "((T([4], f32),), {})", {inputs::Distribution::Zeros});
  CHECK(moved.verdictOn(negate).message ==
        "output 0 is wrong at [0]: found -0, expected 0; 4 of 4 elements differ, all must be equal");
  CheckedCall summed("aten.add.Tensor", "((T([4], f32), T([4], f32)), {})", {inputs::Distribution::Zeros});
  CHECK(summed.verdictOn(negate).ok);
}

TEST_CASE("workspaces may hold anything, and must have their types") {
  const c10::InferenceMode guard;
  const Tolerances tolerances = tolerancesWith("operators: [{names: [native_layer_norm], workspaces: [1]}]");
  CheckedCall checked("aten.native_layer_norm.default", "((T([4, 64], f32), [64], None, None, 1e-05), {})", {}, tolerances);
  CHECK(checked.verdictOn([](auto& outputs) { outputs[1].fill_(7); }).ok);
  CHECK_FALSE(checked.verdictOn([](auto& outputs) { outputs[2].fill_(7); }).ok);
  CHECK(checked.verdictOn([](auto& outputs) { outputs[1] = outputs[1].slice(0, 1); }).message.starts_with("output 1 "));
  const auto run = [&](size_t changed) {
    std::vector<at::Tensor> outputs = runtime::clone(checked.correctness.reference().eager).state().tensors;
    outputs[changed].fill_(7);
    return outputs;
  };
  std::vector<at::Tensor> eager = runtime::clone(checked.correctness.reference().eager).state().tensors;
  Prepared otherWorkspace({eager, run(1)}), otherResult({eager, run(2)});
  CHECK(checked.correctness.determinism(otherWorkspace) == Determinism::Bitwise);
  CHECK(checked.correctness.determinism(otherResult) == Determinism::Neither);
}

TEST_CASE("a workspace is counted among all results of the schema, where a call leaves one before it undefined too") {
  const c10::InferenceMode guard;
  const Tolerances tolerances = tolerancesWith("operators: [{names: [native_layer_norm_backward], workspaces: [2]}]");
  CheckedCall checked("aten.native_layer_norm_backward.default",
                      "((T([4, 64], f32), T([4, 64], f32), [64], T([4, 1], f32), T([4, 1], f32), T([64], f32), T([64], f32), "
                      "[True, False, True]), {})",
                      {}, tolerances);
  REQUIRE(checked.correctness.reference().eager.size() == 2);
  const Verdict verdict = checked.verdictOn([](auto& outputs) { outputs[1].fill_(7); });
  CHECK_MESSAGE(verdict.ok, verdict.message);
  CHECK_FALSE(checked.verdictOn([](auto& outputs) { outputs[0].fill_(7); }).ok);
}

TEST_CASE("indices are judged by the values there: ties have several") {
  CheckedCall checked("aten.kthvalue.default", "((T([6, 500], f32), 500, 1), {})", {inputs::Distribution::SmallInt});
  const at::Tensor self = checked.call.aten().arguments[0].toTensor();
  CHECK(checked.verdictOn([](auto&) {}).ok);
  const auto lastOfTies = [&](std::vector<at::Tensor>& outputs) {
    outputs[1].copy_(self.flip(1).to(at::kFloat).argmax(1).neg().add(499));
  };
  CHECK(checked.verdictOn(lastOfTies).ok);
  CHECK_FALSE(checked.verdictOn([](auto& outputs) { outputs[1].fill_(3); }).ok);
  CHECK(checked.verdictOn([](auto& outputs) { outputs[1].fill_(500); }).message ==
        "output 1 has index 500 in a dimension of size 500");
}

TEST_CASE("the first elements of rows may come in another order where the call asks for none") {
  const auto reversed = [](std::vector<at::Tensor>& outputs) {
    for (at::Tensor& output : outputs) output.copy_(output.flip(1).clone());
  };
  const auto placesReversed = [](std::vector<at::Tensor>& outputs) { outputs[1].copy_(outputs[1].flip(1).clone()); };
  CheckedCall inOrder("aten.topk.default", "((T([6, 50], f32), 4), {})");
  CHECK_FALSE(inOrder.verdictOn(reversed).ok);
  CheckedCall inAnyOrder("aten.topk.default", "((T([6, 50], f32), 4, 1, True, False), {})");
  CHECK(inAnyOrder.verdictOn([](auto&) {}).ok);
  CHECK(inAnyOrder.verdictOn(reversed).ok);
  CHECK_FALSE(inAnyOrder.verdictOn(placesReversed).ok);
  CHECK_FALSE(inAnyOrder.verdictOn([](auto& outputs) { outputs[0].select(1, 2).fill_(7); }).ok);
  CheckedCall ofColumns("aten.topk.default", "((T([50, 6, 2], f32), 4, 0, True, False), {})");
  CHECK(ofColumns
            .verdictOn([](auto& outputs) {
              for (at::Tensor& output : outputs) output.copy_(output.flip(0).clone());
            })
            .ok);
}

TEST_CASE("equal elements keep their order in stable sorting alone") {
  for (const std::string stable : {"True", "False"}) {
    CheckedCall checked("aten.sort.stable", "((T([6, 64], f32),), {'stable': " + stable + "})", {inputs::Distribution::SmallInt});
    const at::Tensor self = checked.call.aten().arguments[0].toTensor();
    const auto lastOfTiesFirst = [&](std::vector<at::Tensor>& outputs) {
      outputs[1].copy_(std::get<1>(self.flip(1).sort(std::optional<bool>(true), 1)).neg().add(63));
    };
    CHECK(checked.verdictOn([](auto&) {}).ok);
    CHECK(checked.verdictOn(lastOfTiesFirst).ok == (stable == "False"));
    CHECK_FALSE(checked.verdictOn([](auto& outputs) { outputs[1].fill_(3); }).ok);
  }
}

TEST_CASE("special values: NaN and infinities are judged by where they stand") {
  CheckedCall checked("aten.exp.default", "((T([90, 40], f32),), {})", {inputs::Distribution::Specials});
  CHECK(checked.correctness.reference().eager.state().tensors[0].isnan().any().item<bool>());
  CHECK(checked.verdictOn([](auto&) {}).ok);
  const Verdict withoutNan = checked.verdictOn([](auto& outputs) { outputs[0].nan_to_num_(); });
  CHECK(withoutNan.message.find("are NaN or infinite on one side only") != std::string::npos);
  CHECK_FALSE(checked.verdictOn([](auto& outputs) { outputs[0][8].fill_(NAN); }).ok);
}

TEST_CASE("the accuracy recorded is that of the output furthest off") {
  CheckedCall checked("aten.var_mean.correction", "((T([30, 200], f32), [1]), {'correction': 1})");
  const Verdict verdict = checked.verdictOn([](auto& outputs) { outputs[1].add_(2e-6); });
  CHECK(verdict.ok);
  REQUIRE(verdict.accuracy);
  CHECK(verdict.accuracy->output == 1);
  CHECK(verdict.accuracy->maxUlp >= 2);
  CHECK(verdict.accuracy->rmse > verdict.accuracy->eagerRmse);
}
