#pragma once

#include <optional>

#include "runtime/device.h"

namespace opbench {

/// The energy of a run in joules, the mean of as many as fill half a second; nothing where the device does not count it.
std::optional<double> joulesOf(runtime::Trial& trial, runtime::Workload& workload, runtime::Device& device);

}  // namespace opbench
