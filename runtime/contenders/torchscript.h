#pragma once

#include "runtime/callable.h"
#include "runtime/workloads/call.h"

namespace runtime {

/// The call as a TorchScript graph under the profiling executor with the tensor-expression fuser, warmed up.
CallablePtr torchscriptCallable(Call& call);

}  // namespace runtime
