#pragma once

#include "codegen/cuda/scope.h"

namespace codegen {

/// The prelude's name of what combines values: `Add`.
std::string combinerName(ir::Op op);

/// The bytes of a statement that does nothing but copy a vector from global to shared memory, where hardware can do so by
/// itself: 4, 8 or 16; 0 of every other statement.
int copiedBytes(const ir::Kernel& kernel, const ir::Lanes& lanes);

/// Prints a Lanes statement into a scope.
void printLanes(const ir::Kernel& kernel, const ir::Lanes& lanes, CudaScope& scope);
/// Prints one that copies (copiedBytes) so that the thread goes on before the copy is there: what reads it comes after a
/// barrier, in front of which `awaitCopies()` stands.
void printAsyncCopy(const ir::Kernel& kernel, const ir::Lanes& lanes, CudaScope& scope);

}  // namespace codegen
