#pragma once

#include "codegen/llvm/values/cpu.h"
#include "codegen/llvm/values/vec.h"

namespace codegen {

/// Functions of f32 values whose large arguments, and without fused multiply and add all, go to libm, lane by lane
/// (llvm_math.h says their errors).
Vec sinF32(const Cpu& cpu, Vec x);
Vec cosF32(const Cpu& cpu, Vec x);
/// C's fmodf.
Vec remF32(Vec x, Vec y);

}  // namespace codegen
