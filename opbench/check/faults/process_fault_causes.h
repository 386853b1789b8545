#pragma once

#include <vector>

#include "opbench/settings/process_fault.h"
#include "runtime/device.h"

namespace opbench {

/// Causes those that are planned for a sample where it is raced; of these, the host's alone; and the host's where it is compiled
/// ahead of that.
void cause(const std::vector<PlannedProcessFault>& faults, int index, runtime::Device& device);
void causeOnHost(const std::vector<PlannedProcessFault>& faults, int index);
void causeInCompiler(const std::vector<PlannedProcessFault>& faults, int index);

}  // namespace opbench
