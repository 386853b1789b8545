#include "opbench/check/faults/fault.h"

#include <ATen/ops/where.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <utility>

#include "inputs/operator_name.h"
#include "opbench/check/faults/broken_callable.h"
#include "opbench/check/faults/kernel_faults.h"
#include "opbench/check/faults/loop_faults.h"
#include "opbench/check/faults/network_faults.h"
#include "opbench/check/faults/plan_faults.h"
#include "runtime/compare/oracle.h"
#include "runtime/decorators.h"
#include "runtime/torch/state.h"

namespace opbench {
namespace {

/// Computes once and hands that out ever after.
class StaleCallable : public BrokenCallable {
 public:
  using BrokenCallable::BrokenCallable;
  runtime::TensorList operator()() override {
    if (!kept_) kept_ = BrokenCallable::operator()();
    return kept_;
  }

 private:
  runtime::TensorList kept_;
};

/// Computes where the arguments are others than before, and hands out the latest result where they are the same.
class CachingCallable : public BrokenCallable {
 public:
  CachingCallable(runtime::CallablePtr callable, const runtime::Workload& workload)
      : BrokenCallable(std::move(callable)), workload_(workload) {}
  runtime::TensorList operator()() override {
    std::vector<int64_t> sums = runtime::sumsOfRead(workload_);
    if (!kept_ || sums != sums_) kept_ = BrokenCallable::operator()();
    sums_ = std::move(sums);
    return kept_;
  }

 private:
  const runtime::Workload& workload_;
  std::vector<int64_t> sums_;
  runtime::TensorList kept_;
};

/// Exchanges the places of equal values, in pairs along the last dimension, in sorted outputs: values and their places.
class UnstableCallable : public BrokenCallable {
 public:
  using BrokenCallable::BrokenCallable;
  runtime::TensorList operator()() override {
    runtime::TensorList outputs = BrokenCallable::operator()();
    const std::vector<at::Tensor>& tensors = outputs.state().tensors;
    const bool areSorted = tensors.size() == 2 && tensors[1].scalar_type() == at::kLong && tensors[1].dim() > 0;
    if (areSorted && tensors[0].sizes() == tensors[1].sizes()) exchange(tensors[0], tensors[1]);
    return outputs;
  }

 private:
  static void exchange(const at::Tensor& values, const at::Tensor& places) {
    const c10::InferenceMode guard;
    const int64_t pairs = values.size(-1) / 2;
    const auto inPairs = [&](const at::Tensor& tensor) { return tensor.narrow(-1, 0, 2 * pairs).unflatten(-1, {pairs, 2}); };
    const at::Tensor value = inPairs(values), place = inPairs(places);
    const at::Tensor isTie = value.select(-1, 0).eq(value.select(-1, 1)).unsqueeze(-1);
    places.narrow(-1, 0, 2 * pairs).copy_(at::where(isTie, place.flip(-1), place).flatten(-2));
  }
};

class SlowTrial : public runtime::TrialDecorator {
 public:
  using TrialDecorator::TrialDecorator;
  void collect(std::vector<double>& seconds) override {
    const size_t before = seconds.size();
    TrialDecorator::collect(seconds);
    for (size_t i = before; i < seconds.size(); ++i) seconds[i] *= slowness;
  }
  double disturbedSeconds(int number, bool isKnown) override {
    return slowness * TrialDecorator::disturbedSeconds(number, isKnown);
  }
  std::vector<runtime::PhaseTime> phases() const override {
    std::vector<runtime::PhaseTime> phases = TrialDecorator::phases();
    for (runtime::PhaseTime& phase : phases) phase.seconds *= slowness;
    return phases;
  }

 private:
  static constexpr double slowness = 1.05;
};

bool isOfCallable(Fault fault) { return fault == Fault::StaleOutput || fault == Fault::CachedResult || fault == Fault::Slow; }

}  // namespace

bool breakPlan(codegen::Plan& plan, Fault fault, const ir::Target& target) {
  if (!plan.phases.empty()) return !isOfCallable(fault) && breakNetworkPlan(plan, fault, target);
  if (plan.kernels.empty()) return false;
  if (isOfCallable(fault)) return true;
  if (isOfLoops(fault)) {
    if (std::any_of(plan.kernels.begin(), plan.kernels.end(), [](const ir::Kernel& kernel) { return kernel.list.has_value(); }))
      return false;  // its graph is no single compilation's
    bool isBroken = false;
    const auto edit = [&](std::vector<ir::Loops>& all) { isBroken = breakLoops(all, fault); };
    plan = codegen::compile(ir::Graph(plan.graph), target, {}, edit);
    return isBroken;
  }
  bool isBroken = false;
  for (size_t i = 0; i < plan.kernels.size(); ++i) {
    isBroken = breakKernel(plan.kernels[i], fault) || isBroken;
    plan.programs[i] = codegen::programOf(plan.kernels[i], target);
  }
  return isBroken;
}

runtime::CallablePtr broken(runtime::CallablePtr callable, Fault fault, runtime::Workload& workload) {
  if (inputs::isNetwork(workload.op())) return brokenNetwork(std::move(callable), fault, workload);
  const bool isGenerated = callable->kind == runtime::Kind::Generated;
  if (fault == Fault::StaleOutput && isGenerated) return std::make_unique<StaleCallable>(std::move(callable));
  if (fault == Fault::CachedResult && isGenerated) return std::make_unique<CachingCallable>(std::move(callable), workload);
  if (fault == Fault::UnstableSort && !isGenerated) return std::make_unique<UnstableCallable>(std::move(callable));
  return callable;
}

std::unique_ptr<runtime::Trial> broken(std::unique_ptr<runtime::Trial> trial, Fault fault) {
  return fault == Fault::Slow ? std::make_unique<SlowTrial>(std::move(trial)) : std::move(trial);
}

}  // namespace opbench
