#pragma once

#include "codegen/llvm/values/vec.h"

namespace codegen {

/// erf of f32 vectors by AVX-512's look-up of 16 values in a register; 1 ULP.
Vec erfByTable(Vec x);

}  // namespace codegen
