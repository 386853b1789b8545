#pragma once

#include "codegen/compile.h"
#include "runtime/build/cache.h"
#include "runtime/callable.h"
#include "runtime/device.h"
#include "runtime/workload.h"

namespace runtime {

/// A plan whose kernels are compiled for `device`. Error: Unsupported, with the plan's reason, where ATen is to be called for
/// what is no single call.
CallablePtr plannedCallable(Workload& workload, const codegen::Plan& plan, Device& device, const Cache& cache);
/// The plan of a network's captured graph, whose inputs are the workload's operands and then these constants. Error: Unsupported
/// for calls that bring numbers to the host.
CallablePtr networkCallable(Workload& workload, const codegen::Plan& plan, const TensorList& constants, Device& device,
                            const Cache& cache);

}  // namespace runtime
