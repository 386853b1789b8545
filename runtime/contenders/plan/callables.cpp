#include "runtime/contenders/plan/callables.h"

#include "runtime/contenders/plan/planned.h"
#include "runtime/torch/translate.h"
#include "runtime/workloads/call.h"

namespace runtime {

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
