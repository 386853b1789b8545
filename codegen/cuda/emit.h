#pragma once

#include "ir/kernel_source.h"

namespace codegen {

/// A kernel with explicit barriers as CUDA C++: `extern "C" __global__ void NAME(T0* p0, T1* p1, ...)`, one pointer a parameter
/// and the workspace's, where it has one, last.
ir::KernelSource emitCuda(const ir::Kernel& kernel, const ir::Target& target);

}  // namespace codegen
