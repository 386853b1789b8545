#pragma once

#include <memory>

#include "runtime/memory.h"

namespace runtime {

/// Watches what ATen's allocator gives to tensors in this machine's memory, and the process's resident memory.
std::unique_ptr<MemoryWatch> watchHostMemory();

}  // namespace runtime
