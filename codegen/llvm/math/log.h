#pragma once

#include "codegen/llvm/values/vec.h"

namespace codegen {

/// Logarithms and powers of f32 values, printed as straight-line polynomial code (llvm_math.h says their errors).
Vec logF32(Vec x, bool relaxed);
Vec log2F32(Vec x, bool relaxed);
Vec log1pF32(Vec x, bool relaxed);
Vec powF32(Vec x, Vec y);

}  // namespace codegen
