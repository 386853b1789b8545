#pragma once

#include "ir/kernel.h"
#include "opbench/check/faults/fault.h"

namespace opbench {

/// Puts a fault into a scheduled kernel; false where it has no place for it.
bool breakKernel(ir::Kernel& kernel, Fault fault);

}  // namespace opbench
