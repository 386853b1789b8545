#pragma once

#include <memory>
#include <string>

#include "runtime/memory.h"

namespace runtime {

/// Watches what the caching allocator gives to tensors on the GPU of this number and PCI address, what it reserves for that, and
/// what the driver says.
std::unique_ptr<MemoryWatch> watchGpuMemory(int index, const std::string& pciBusId);

}  // namespace runtime
