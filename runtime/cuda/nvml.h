#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/environment.h"

namespace runtime {

/// What NVIDIA's management library says of the GPU at a PCI address (`0000:1b:00.0`): {what, found}; empty where there is
/// no such library.
std::vector<std::pair<std::string, std::string>> nvmlFacts(const std::string& pciBusId);

/// Memory of the GPU that is in use, in bytes: by all, and by this process; nothing where the library does not tell.
struct NvmlMemory {
  std::optional<int64_t> device, process;
};
NvmlMemory nvmlMemory(const std::string& pciBusId);

/// The energy in joules that the GPU has taken since its driver was loaded; nothing where the library does not tell.
std::optional<double> nvmlEnergy(const std::string& pciBusId);

/// Adds the driver's release, and the GPU's UUID, power limit, highest clock and ECC mode.
void addNvml(const std::string& pciBusId, Environment& environment);

/// The GPU's state; nothing where there is no such library.
std::optional<GpuState> nvmlState(const std::string& pciBusId);

}  // namespace runtime
