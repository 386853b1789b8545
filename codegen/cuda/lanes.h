#pragma once

#include "codegen/cuda/scope.h"

namespace codegen {

/// The prelude's name for an operation that combines values: `Add`.
std::string combinerName(ir::Op op);

/// Prints a Lanes statement into a scope.
void printLanes(const ir::Kernel& kernel, const ir::Lanes& lanes, CudaScope& scope);
/// Prints one that copies asynchronously.
void printAsyncCopy(const ir::Kernel& kernel, const ir::Lanes& lanes, CudaScope& scope);

}  // namespace codegen
