#pragma once

#include "ir/kernel_source.h"

namespace codegen {

/// The kernel as LLVM assembly: `void NAME(ptr %params, i64 %begin, i64 %end)` runs iterations [begin, end) of the Task
/// loop (all of the kernel where there is none), or what follows that loop if begin is its extent; `params` is an array of
/// the parameters' pointers, then of the workspace's where there is one.
ir::KernelSource emitLlvm(const ir::Kernel& kernel, const ir::Target& target);

}  // namespace codegen
