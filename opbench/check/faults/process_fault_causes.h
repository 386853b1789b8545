#pragma once

#include <vector>

#include "opbench/settings/process_fault.h"
#include "runtime/device.h"

namespace opbench {

/// Causes the faults planned for a sample: cause() all of them where it is raced, causeOnHost() only the host's of these, and
/// causeInCompiler() the host's where it is compiled ahead of the race.
void cause(const std::vector<PlannedProcessFault>& faults, int index, runtime::Device& device);
void causeOnHost(const std::vector<PlannedProcessFault>& faults, int index);
void causeInCompiler(const std::vector<PlannedProcessFault>& faults, int index);

}  // namespace opbench
