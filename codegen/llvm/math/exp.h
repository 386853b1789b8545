#pragma once

#include "codegen/llvm/values/cpu.h"
#include "codegen/llvm/values/vec.h"

namespace codegen {

/// Functions of f32 values made of e^x, printed as straight-line polynomial code (llvm_math.h says their errors).
Vec expF32(const Cpu& cpu, Vec x, bool relaxed);
Vec expm1F32(Vec x);
Vec tanhF32(Vec x);
Vec erfF32(Vec x, bool relaxed);

}  // namespace codegen
