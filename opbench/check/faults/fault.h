#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/compile.h"
#include "ir/target.h"
#include "opbench/settings/fault.h"
#include "runtime/device.h"

namespace opbench {

/// Puts the fault into the plan: of a call into all of its kernels, of a network into the kernels of one of its groups, or among
/// its steps. False where the plan has no place for it.
bool breakPlan(codegen::Plan& plan, Fault fault, const ir::Target& target);
/// The callable with the fault, for StaleOutput, CachedResult and UnstableSort; a network's also with the faults that it has a
/// place for, whoever computes it (brokenNetwork). For other faults it is the callable as it is.
runtime::CallablePtr broken(runtime::CallablePtr callable, Fault fault, runtime::Workload& workload);
/// The trial with the fault, for Slow; as it is for others.
std::unique_ptr<runtime::Trial> broken(std::unique_ptr<runtime::Trial> trial, Fault fault);

}  // namespace opbench
