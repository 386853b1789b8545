#pragma once

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "inputs/convert.h"
#include "opbench/check/correctness_check.h"
#include "opbench/check/fault.h"
#include "runtime/callable.h"
#include "tests/runtime/sample.h"

namespace tests {

/// A call whose kernels are broken in every way there is.
struct FaultyCall {
  const char* op;
  const char* call;
};

/// Pointwise operators, copies and conversions, comparisons, in place and with strides, reductions along rows and columns,
/// places, norms, softmax and losses.
inline const std::vector<FaultyCall> faultyCalls{
    {"aten.add.Tensor", "((T([13, 129], f16), T([129], f16)), {'alpha': 2})"},
    {"aten.add_.Tensor", "((T([13, 129], f16), T([13, 129], f16)), {})"},
    {"aten.mul.Tensor", "((T([7, 64], f16, stride=(1, 7)), T([7, 64], f16)), {})"},
    {"aten.div.Tensor", "((T([1003], f16), T([1003], f16)), {})"},
    {"aten.addcmul.default", "((T([33, 65], f16), T([33, 65], f16), T([33, 65], f16)), {'value': 0.5})"},
    {"aten.gelu.default", "((T([32, 100], f16),), {})"},
    {"aten.gelu_backward.default", "((T([32, 100], f16), T([32, 100], f16)), {})"},
    {"aten.silu_.default", "((T([1000], f16),), {})"},
    {"aten.tanh.default", "((T([1000], f16),), {})"},
    {"aten.relu.default", "((T([1000], f16),), {})"},
    {"aten.exp.default", "((T([5, 7, 11], f16),), {})"},
    {"aten.rsqrt.default", "((T([257], f16),), {})"},
    {"aten.pow.Tensor_Scalar", "((T([999], f16), 3), {})"},
    {"aten.eq.Tensor", "((T([40, 40], f16), T([40, 40], f16)), {})"},
    {"aten.where.self", "((T([300], b8), T([300], f16), T([300], f16)), {})"},
    {"aten.masked_fill.Scalar", "((T([4, 60], f16), T([4, 60], b8), -2.0), {})"},
    {"aten._to_copy.default", "((T([500], f16),), {'dtype': f64})"},
    {"aten.tril.default", "((T([30, 31], f16),), {})"},
    {"aten.sub.Tensor", "((T([123], i64), T([123], i64)), {})"},
    {"aten.bitwise_not.default", "((T([100], b8),), {})"},
    {"aten.sum.dim_IntList", "((T([40, 900], f16), [1]), {})"},
    {"aten.sum.dim_IntList", "((T([900, 40], f16), [0]), {})"},
    {"aten.sum.default", "((T([5000], f16),), {})"},
    {"aten.mean.dim", "((T([4, 49, 64], f16), [1]), {})"},
    {"aten.var.correction", "((T([30, 200], f16), [1]), {'correction': 1})"},
    {"aten.amax.default", "((T([30, 50], f16), [1]), {})"},
    {"aten.max.dim", "((T([30, 50], f16), 1), {})"},
    {"aten.argmin.default", "((T([40, 30], f16), 0), {})"},
    {"aten._softmax.default", "((T([20, 333], f16), -1, False), {})"},
    {"aten._log_softmax.default", "((T([20, 333], f16), -1, False), {})"},
    {"aten._softmax_backward_data.default", "((T([20, 100], f16), T([20, 100], f16), -1, f16), {})"},
    {"aten.native_layer_norm.default", "((T([12, 96], f16), [96], T([96], f16), T([96], f16), 1e-05), {})"},
    {"aten.native_group_norm.default", "((T([4, 6, 25], f16), T([6], f16), T([6], f16), 4, 6, 25, 2, 1e-05), {})"},
    {"aten.native_batch_norm.default",
     "((T([8, 6, 25], f16), T([6], f16), T([6], f16), T([6], f16), T([6], f16), True, 0.1, 1e-05), {})"},
    {"aten.mse_loss.default", "((T([30, 40], f16), T([30, 40], f16), 1), {})"},
    {"aten.nll_loss_forward.default", "((T([20, 30], f16), T([20], i64), None, 1, -100), {})"},
};

/// A trial with what it runs.
struct Suspect {
  opbench::Fault fault;
  runtime::CallablePtr callable;
  std::unique_ptr<runtime::Trial> trial;
  bool differs = false;  ///< its results are not those without the fault
  bool harms = false;    ///< and they are worse
  bool caught = false;   ///< a check says so
};

/// Whether results that differ are worse: f16 that is rounded once more may be as accurate as eager's all the same.
inline bool harms(const Suspect& suspect, const opbench::Verdict& verdict) {
  const bool isAccurate = verdict.accuracy && verdict.accuracy->rmse <= 1.1 * verdict.accuracy->eagerRmse;
  return suspect.differs && !(suspect.fault == opbench::Fault::F16Accumulation && isAccurate);
}

/// Checks that every fault that harms the results of a call is caught, on the first data or on the second; returns how many do.
inline int checkFaults(runtime::Device& device, const FaultyCall& faulty, ir::DType dtype) {
  using namespace opbench;
  CAPTURE(std::string(faulty.op));
  CAPTURE(std::string(faulty.call));
  CAPTURE(std::string(ir::name(dtype)));
  const runtime::Cache none;
  runtime::Call call(inputs::convert(sample(faulty.op, faulty.call), dtype, false), device, 1);
  CorrectnessCheck correctness(call, faulty.op, Tolerances::standard());
  correctness.begin(1, {});
  CHECK(correctness.trivialSolution() == "");
  const ir::Graph graph = call.graph(correctness.reference().eager);
  const runtime::CallablePtr callable = runtime::plannedCallable(call, codegen::compile(graph, device.target()), device, none);
  const auto trial = device.prepare(*callable, call);

  std::vector<Suspect> suspects;
  for (Fault fault : {Fault::UnwrittenTail, Fault::OffByOne, Fault::F16Accumulation, Fault::StaleOutput, Fault::Zeros}) {
    codegen::Plan plan = codegen::compile(graph, device.target());
    if (!breakPlan(plan, fault, device.target())) continue;
    Suspect suspect{fault, broken(runtime::plannedCallable(call, std::move(plan), device, none), fault), nullptr};
    suspect.trial = device.prepare(*suspect.callable, call);
    suspects.push_back(std::move(suspect));
  }
  for (int round = 0; round < 2; ++round) {
    if (round == 1) correctness.drawAgain();
    const Verdict right = correctness.judge(*trial);
    CHECK_MESSAGE(right.ok, right.message);
    const runtime::TensorList results = runtime::clone(trial->outputs());
    for (Suspect& suspect : suspects) {
      const Verdict verdict = correctness.judge(*suspect.trial);
      suspect.caught = !verdict.ok || suspect.caught;
      suspect.differs = !runtime::bitwiseEqual(suspect.trial->outputs(), results) || suspect.differs;
      suspect.harms = harms(suspect, verdict) || suspect.harms;
    }
  }
  int harmful = 0;
  for (const Suspect& suspect : suspects) {
    CAPTURE(std::string(name(suspect.fault)));
    CHECK((suspect.caught || !suspect.harms));
    CHECK((suspect.differs || !suspect.caught));
    harmful += suspect.harms;
  }
  return harmful;
}

/// Checks the calls above; most faults must show.
inline void checkFaults(runtime::Device& device) {
  for (ir::DType dtype : {ir::DType::F32, ir::DType::F16})
    for (const FaultyCall& faulty : faultyCalls) CHECK(checkFaults(device, faulty, dtype) >= 3);
}

}  // namespace tests
