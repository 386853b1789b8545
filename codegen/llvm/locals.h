#pragma once

#include <vector>

#include "codegen/llvm/values/vec.h"
#include "ir/kernel.h"

namespace codegen {

/// Bytes that a kernel's Global locals take together.
int64_t workspaceBytes(const ir::Kernel& kernel);

/// The pointers of a kernel's locals, in order: Register ones are memory of the function, which the optimiser turns into
/// registers where every access has a constant offset; Global ones lie in the workspace.
std::vector<llvm::Value*> localPointers(llvm::IRBuilderBase& builder, const ir::Kernel& kernel, llvm::Value* params);

/// Whether `count` elements from a constant offset on lie in the memory of a Register local, which holds full vectors: lanes
/// that are not active may then be read and written back.
bool holdsWhole(const ir::Local& local, Vec offset, int count);

}  // namespace codegen
