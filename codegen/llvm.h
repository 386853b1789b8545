#pragma once

#include "codegen/program.h"

namespace codegen {

/// The kernel as LLVM assembly: `void NAME(ptr %params, i64 %begin, i64 %end)` runs iterations [begin, end) of the Task
/// loop (all of it where there is none); `params` is an array of the parameters' pointers.
Program emitLlvm(const ir::Kernel& kernel, const ir::Target& target);

}  // namespace codegen
