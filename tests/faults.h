#pragma once

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "inputs/convert.h"
#include "opbench/check/correctness_check.h"
#include "opbench/check/faults/fault.h"
#include "runtime/callable.h"
#include "runtime/contenders/plan/callables.h"
#include "runtime/workloads/call.h"
#include "tests/runtime/sample.h"

namespace tests {

/// A call whose kernels are broken.
struct FaultyCall {
  const char* op;
  const char* call;
  bool isBrokenAsF16 = false;  ///< at float16 as well as at float32: one call of each family
};

/// Pointwise operators, copies and conversions, comparisons, in place and with strides, reductions along rows and columns,
/// places, norms, softmax and losses. All of them are broken in every general way.
inline const std::vector<FaultyCall> faultyCalls{
    {"aten.add.Tensor", "((T([13, 129], f16), T([129], f16)), {'alpha': 2})", true},
    {"aten.add_.Tensor", "((T([13, 129], f16), T([13, 129], f16)), {})"},
    {"aten.mul.Tensor", "((T([7, 64], f16, stride=(1, 7)), T([7, 64], f16)), {})", true},
    {"aten.div.Tensor", "((T([1003], f16), T([1003], f16)), {})"},
    {"aten.addcmul.default", "((T([33, 65], f16), T([33, 65], f16), T([33, 65], f16)), {'value': 0.5})"},
    {"aten.gelu.default", "((T([32, 100], f16),), {})"},
    {"aten.gelu_backward.default", "((T([32, 100], f16), T([32, 100], f16)), {})"},
    {"aten.silu_.default", "((T([1000], f16),), {})", true},
    {"aten.tanh.default", "((T([1000], f16),), {})"},
    {"aten.relu.default", "((T([1000], f16),), {})"},
    {"aten.exp.default", "((T([5, 7, 11], f16),), {})"},
    {"aten.rsqrt.default", "((T([257], f16),), {})"},
    {"aten.pow.Tensor_Scalar", "((T([999], f16), 3), {})"},
    {"aten.eq.Tensor", "((T([40, 40], f16), T([40, 40], f16)), {})", true},
    {"aten.where.self", "((T([300], b8), T([300], f16), T([300], f16)), {})"},
    {"aten.masked_fill.Scalar", "((T([4, 60], f16), T([4, 60], b8), -2.0), {})"},
    {"aten._to_copy.default", "((T([500], f16),), {'dtype': f64})", true},
    {"aten.tril.default", "((T([30, 31], f16),), {})"},
    {"aten.sub.Tensor", "((T([123], i64), T([123], i64)), {})"},
    {"aten.bitwise_not.default", "((T([100], b8),), {})"},
    {"aten.sum.dim_IntList", "((T([40, 900], f16), [1]), {})", true},
    {"aten.sum.dim_IntList", "((T([900, 40], f16), [0]), {})", true},
    {"aten.sum.default", "((T([5000], f16),), {})"},
    {"aten.mean.dim", "((T([4, 49, 64], f16), [1]), {})"},
    {"aten.var.correction", "((T([30, 200], f16), [1]), {'correction': 1})"},
    {"aten.amax.default", "((T([30, 50], f16), [1]), {})"},
    {"aten.max.dim", "((T([30, 50], f16), 1), {})"},
    {"aten.argmin.default", "((T([40, 30], f16), 0), {})", true},
    {"aten._softmax.default", "((T([20, 333], f16), -1, False), {})", true},
    {"aten._log_softmax.default", "((T([20, 333], f16), -1, False), {})"},
    {"aten._softmax_backward_data.default", "((T([20, 100], f16), T([20, 100], f16), -1, f16), {})"},
    {"aten.native_layer_norm.default", "((T([12, 96], f16), [96], T([96], f16), T([96], f16), 1e-05), {})", true},
    {"aten.native_group_norm.default", "((T([4, 6, 25], f16), T([6], f16), T([6], f16), 4, 6, 25, 2, 1e-05), {})"},
    {"aten.native_batch_norm.default",
     "((T([8, 6, 25], f16), T([6], f16), T([6], f16), T([6], f16), T([6], f16), True, 0.1, 1e-05), {})"},
    {"aten.mse_loss.default", "((T([30, 40], f16), T([30, 40], f16), 1), {})", true},
    {"aten.nll_loss_forward.default", "((T([20, 30], f16), T([20], i64), None, 1, -100), {})"},
};

/// A particular mistake and a call in which it matters.
struct PlantedFault {
  opbench::Fault fault;
  FaultyCall in;
};

inline const std::vector<PlantedFault> plantedFaults{
    {opbench::Fault::DropMaximum, {"aten._softmax.default", "((T([20, 333], f16), -1, False), {})"}},
    {opbench::Fault::DropMaximum, {"aten._softmax.default", "((T([20, 33, 40], f16), 1, False), {})"}},
    {opbench::Fault::DropMaximum, {"aten._log_softmax.default", "((T([20, 333], f16), -1, False), {})"}},
    {opbench::Fault::DropMaximum, {"aten.logsumexp.default", "((T([20, 333], f16), [1]), {})"}},
    {opbench::Fault::DropMaximum, {"aten.logsumexp.default", "((T([5000], f16), [0]), {})"}},
    {opbench::Fault::OnePassVariance,
     {"aten.native_layer_norm.default", "((T([12, 96], f16), [96], T([96], f16), T([96], f16), 1e-05), {})"}},
    {opbench::Fault::OnePassVariance,
     {"aten.native_group_norm.default", "((T([4, 6, 25], f16), T([6], f16), T([6], f16), 4, 6, 25, 2, 1e-05), {})"}},
    {opbench::Fault::OnePassVariance,
     {"aten.native_batch_norm.default",
      "((T([8, 6, 25], f16), T([6], f16), T([6], f16), T([6], f16), T([6], f16), True, 0.1, 1e-05), {})"}},
    {opbench::Fault::ShortSum, {"aten.mean.dim", "((T([40, 900], f16), [1]), {})"}},
    {opbench::Fault::ShortSum, {"aten.mean.dim", "((T([4, 49, 64], f16), [1]), {})"}},
    {opbench::Fault::ShortSum, {"aten.mean.default", "((T([5000], f16),), {})"}},
    {opbench::Fault::SparseSum, {"aten.mean.dim", "((T([40, 900], f16), [1]), {})"}},
    {opbench::Fault::SparseSum, {"aten.mean.default", "((T([5000], f16),), {})"}},
    {opbench::Fault::SwallowNan, {"aten.amax.default", "((T([30, 50], f16), [1]), {})"}},
    {opbench::Fault::SwallowNan, {"aten.max.dim", "((T([30, 50], f16), 0), {})"}},
    {opbench::Fault::SwallowNan, {"aten.max.default", "((T([5000], f16),), {})"}},
    {opbench::Fault::SwallowNan, {"aten.relu.default", "((T([1000], f16),), {})"}},
    {opbench::Fault::LastTie, {"aten.argmax.default", "((T([40, 30], f16), 1), {})"}},
    {opbench::Fault::LastTie, {"aten.argmin.default", "((T([40, 30], f16), 0), {})"}},
    {opbench::Fault::LastTie, {"aten.max.dim", "((T([30, 50], f16), 1), {})"}},
    {opbench::Fault::UnstableSort, {"aten.sort.stable", "((T([20, 300], f16),), {'stable': True})"}},
    {opbench::Fault::NegativeZero, {"aten.tril.default", "((T([30, 31], f16),), {})"}},
    {opbench::Fault::NegativeZero, {"aten.constant_pad_nd.default", "((T([7, 9], f16), [1, 2]), {})"}},
    {opbench::Fault::UnwrittenOutput, {"aten.add.Tensor", "((T([13, 129], f16), T([129], f16)), {})"}},
    {opbench::Fault::UnwrittenOutput,
     {"aten.native_layer_norm.default", "((T([12, 96], f16), [96], T([96], f16), T([96], f16), 1e-05), {})"}},
    {opbench::Fault::WritesInput, {"aten.add.Tensor", "((T([13, 129], f16), T([129], f16)), {})"}},
    {opbench::Fault::WritesInput, {"aten._softmax.default", "((T([20, 333], f16), -1, False), {})"}},
    {opbench::Fault::ReadsPastEnd, {"aten.add.Tensor", "((T([13, 129], f16), T([129], f16)), {})"}},
    {opbench::Fault::ReadsPastEnd, {"aten.sum.dim_IntList", "((T([40, 900], f16), [1]), {})"}},
    {opbench::Fault::ReadsPastEnd, {"aten.neg.default", "((T([123], i64),), {})"}},
    {opbench::Fault::OneAlignment, {"aten.mul.Tensor", "((T([7, 64], f16, stride=(1, 7)), T([7, 64], f16)), {})"}},
    {opbench::Fault::OneAlignment, {"aten.sum.dim_IntList", "((T([900, 40], f16), [0]), {})"}},
    {opbench::Fault::OneShape, {"aten.div.Tensor", "((T([1003], f16), T([1003], f16)), {})"}},
    {opbench::Fault::OneShape, {"aten._softmax.default", "((T([21, 333], f16), -1, False), {})"}},
    {opbench::Fault::NarrowI64, {"aten.sub.Tensor", "((T([123], i64), T([123], i64)), {})"}},
    {opbench::Fault::NarrowI64, {"aten.eq.Tensor", "((T([300], i64), T([300], i64)), {})"}},
    {opbench::Fault::NarrowI64, {"aten.sum.dim_IntList", "((T([40, 90], i64), [1]), {})"}},
    {opbench::Fault::DroppedBarrier, {"aten._softmax.default", "((T([20, 4000], f16), -1, False), {})"}},
    {opbench::Fault::DroppedBarrier, {"aten._log_softmax.default", "((T([20, 4000], f16), -1, False), {})"}},
};

/// A trial with what it runs.
struct Suspect {
  opbench::Fault fault;
  runtime::CallablePtr callable;
  std::unique_ptr<runtime::Trial> trial;
  bool differs = false;  ///< its results are not those without the fault
  bool harms = false;    ///< and they are worse
  std::string caught{};  ///< the data on which a check says so
};

/// Whether results that differ are worse: f16 that is rounded once more may be as accurate as eager's all the same, and f32 of
/// sums in f64 that are rounded to f32.
inline bool harms(const Suspect& suspect, const opbench::Verdict& verdict) {
  constexpr double fewRoundings = 8;  // values of the dtype
  const auto& accuracy = verdict.accuracy;
  const bool isAccurate = accuracy && (accuracy->rmse <= 1.1 * accuracy->eagerRmse || accuracy->maxUlp <= fewRoundings);
  return suspect.differs && !(suspect.fault == opbench::Fault::F16Accumulation && isAccurate);
}

/// A call with its kernels as they are and with faults in them, checked as a default run checks them.
class FaultBed {
 public:
  FaultBed(runtime::Device& device, const FaultyCall& faulty, ir::DType dtype)
      : device_(device),
        call_(inputs::convert(sample(faulty.op, faulty.call), dtype, false), device, seed),
        correctness_(call_, faulty.op, opbench::Tolerances::standard()) {
    correctness_.begin(seed, {});
    CHECK(correctness_.trivialSolution() == "");
    graph_ = call_.graph(correctness_.reference().eager);
    callable_ = runtime::plannedCallable(call_, codegen::compile(graph_, device.target()), device, none_);
    trial_ = device.prepare(*callable_, call_);
  }

  void plant(opbench::Fault fault) {
    codegen::Plan plan = codegen::compile(graph_, device_.target());
    const bool isBroken = breakPlan(plan, fault, device_.target());
    if (!isBroken && fault != opbench::Fault::UnstableSort) return;
    Suspect suspect{fault, broken(runtime::plannedCallable(call_, std::move(plan), device_, none_), fault, call_), nullptr};
    suspect.trial = device_.prepare(*suspect.callable, call_);
    call_.draw(seed, {});  // a device may have run it to prepare it
    suspects_.push_back(std::move(suspect));
  }

  const std::vector<Suspect>& check() {
    const auto name = [](bool isFirst, int number) { return isFirst ? "normal" : number == 1 ? "far" : "specials"; };
    int number = 0;
    do {
      const opbench::Verdict right = correctness_.judge(*trial_);
      CHECK_MESSAGE(right.ok, right.message);
      const runtime::TensorList results = runtime::clone(trial_->outputs());
      for (Suspect& suspect : suspects_) judge(suspect, results, toText(correctness_.drawn()));
      ++number;
    } while (correctness_.drawNext());
    return suspects_;
  }

 private:
  void judge(Suspect& suspect, const runtime::TensorList& results, const std::string& data) {
    const opbench::Verdict verdict = correctness_.judge(*suspect.trial);
    if (!verdict.ok && suspect.caught.empty()) suspect.caught = data;
    suspect.differs = !runtime::bitwiseEqual(suspect.trial->outputs(), results) || suspect.differs;
    suspect.harms = harms(suspect, verdict) || suspect.harms;
  }

  static constexpr uint64_t seed = 1;
  runtime::Device& device_;
  const runtime::Cache none_;
  runtime::Call call_;
  opbench::CorrectnessCheck correctness_;
  ir::Graph graph_;
  runtime::CallablePtr callable_;
  std::unique_ptr<runtime::Trial> trial_;
  std::vector<Suspect> suspects_;
};

/// Checks that every general fault that harms the results of a call is caught; returns how many do.
inline int checkFaults(runtime::Device& device, const FaultyCall& faulty, ir::DType dtype) {
  using opbench::Fault;
  CAPTURE(std::string(faulty.op));
  CAPTURE(std::string(faulty.call));
  CAPTURE(std::string(ir::name(dtype)));
  FaultBed bed(device, faulty, dtype);
  for (Fault fault : {Fault::UnwrittenTail, Fault::OffByOne, Fault::F16Accumulation, Fault::StaleOutput, Fault::Zeros})
    bed.plant(fault);
  int harmful = 0;
  for (const Suspect& suspect : bed.check()) {
    CAPTURE(std::string(name(suspect.fault)));
    CHECK((!suspect.caught.empty() || !suspect.harms));
    CHECK((suspect.differs || suspect.caught.empty()));
    harmful += suspect.harms;
  }
  return harmful;
}

/// Checks the calls above; most faults must show.
inline void checkFaults(runtime::Device& device) {
  for (const FaultyCall& faulty : faultyCalls) {
    CHECK(checkFaults(device, faulty, ir::DType::F32) >= 3);
    if (faulty.isBrokenAsF16) CHECK(checkFaults(device, faulty, ir::DType::F16) >= 3);
  }
}

/// Checks that each particular fault is caught, whether sums are wider than results or not; a CPU has no barriers to drop.
inline void checkPlantedFaults(runtime::Device& device) {
  for (ir::DType dtype : {ir::DType::F32, ir::DType::F16})
    for (const PlantedFault& planted : plantedFaults) {
      CAPTURE(std::string(name(planted.fault)));
      CAPTURE(std::string(planted.in.op));
      CAPTURE(std::string(planted.in.call));
      CAPTURE(std::string(ir::name(dtype)));
      FaultBed bed(device, planted.in, dtype);
      bed.plant(planted.fault);
      const std::vector<Suspect>& suspects = bed.check();
      const bool hasPlace = planted.fault != opbench::Fault::DroppedBarrier || device.target().backend == ir::Backend::Cuda;
      CHECK(!suspects.empty() == hasPlace);
      for (const Suspect& suspect : suspects) CHECK(suspect.caught != "");
    }
}

}  // namespace tests
