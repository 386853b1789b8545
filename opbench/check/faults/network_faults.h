#pragma once

#include "opbench/check/faults/fault.h"
#include "runtime/callable.h"
#include "runtime/workload.h"

namespace opbench {

/// Whether it is one of the faults of networks, or Slow: no mistake of a plan.
bool isOfNetworks(Fault fault);
/// The callable of a network with one of the faults of networks, and as it is for Slow. It changes what the run reads before it,
/// and what it wrote after it, whoever computes. Error: Unsupported where the network has no place for the fault.
runtime::CallablePtr brokenNetwork(runtime::CallablePtr callable, Fault fault, runtime::Workload& workload);

}  // namespace opbench
