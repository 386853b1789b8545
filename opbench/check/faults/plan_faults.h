#pragma once

#include "codegen/plan.h"
#include "ir/target.h"
#include "opbench/check/faults/fault.h"

namespace opbench {

/// Puts a fault into the plan of a network: one of plans among its steps or in its memory, any other one into the first of its
/// groups whose kernels have a place for it. The plan stays one that can be run. False where it has no place for the fault.
bool breakNetworkPlan(codegen::Plan& plan, Fault fault, const ir::Target& target);

}  // namespace opbench
