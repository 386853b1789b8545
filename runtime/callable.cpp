#include "runtime/callable.h"

#include <c10/core/InferenceMode.h>

#include <algorithm>

#include "runtime/own/registered.h"
#include "runtime/plan/planned.h"
#include "runtime/torch/call_state.h"

namespace runtime {
namespace {

/// ATen's call through the dispatcher, as a plan's fallback step makes it too.
class AtenCallable : public Callable {
 public:
  explicit AtenCallable(Call::State& call) : call_(call) { kind = call.isView() ? Kind::View : Kind::Fallback; }

  TensorList operator()() override {
    const c10::InferenceMode guard;
    return translateErrors(call_.op, [this] { return makeTensorList(call_.run(call_.set(set_), stack_)); });
  }
  void use(int number) override { set_ = number; }
  void reseed() override { call_.seedGenerator(); }

 private:
  Call::State& call_;
  int set_ = 0;
  torch::jit::Stack stack_;  ///< keeps its memory between calls
};

}  // namespace

CallablePtr Call::make(const Contender& contender) {
  if (contender == Contender::Eager) return eagerCallable(*this);
  if (contender == Contender::Torchscript) return torchscriptCallable(*this);
  return contender.isOwn() ? registeredCallable(*this, contender.name()) : namesakeCallable(*this, contender.name());
}

CallablePtr eagerCallable(Call& call) { return std::make_unique<AtenCallable>(call.state()); }

CallablePtr plannedCallable(Workload& workload, const codegen::Plan& plan, Device& device, const Cache& cache) {
  if (plan.launches() > 0 || plan.steps.empty()) {
    auto planned = std::make_unique<PlannedCallable>(workload, plan, TensorList(), device, cache);
    planned->reason = codegen::summaryOf(plan.parts);
    return planned;
  }
  Call* call = workload.call();
  if (call == nullptr) ir::fail(ir::ErrorKind::Unsupported, "{}", plan.fallbackReason);
  ir::require(plan.steps.size() == 1, "a plan of {} steps calls ATen; only the call itself can be", plan.steps.size());
  CallablePtr callable = eagerCallable(*call);
  callable->reason = plan.fallbackReason;
  return callable;
}

CallablePtr networkCallable(Workload& workload, const codegen::Plan& plan, const TensorList& constants, Device& device,
                            const Cache& cache) {
  return translateErrors(workload.op(),
                         [&] { return std::make_unique<PlannedCallable>(workload, plan, constants, device, cache); });
}

}  // namespace runtime
