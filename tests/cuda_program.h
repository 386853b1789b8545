#pragma once

#include "codegen/cuda/emit.h"
#include "lowering/kernel/insert_barriers.h"

namespace tests {

/// A kernel whose barriers are implied as CUDA C++.
inline ir::KernelSource cudaProgram(const ir::Kernel& kernel, const ir::Target& target) {
  return codegen::emitCuda(lowering::insertBarriers(kernel), target);
}

}  // namespace tests
