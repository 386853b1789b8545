#pragma once

#include "ir/target.h"

namespace codegen {

/// What the printers need to know of a CPU.
struct Cpu {
  int vectorBytes = 16;
  bool hasAvx512 = false;  ///< masked loads and stores of every element size, scalef
  bool hasHalf = false;    ///< conversions of f16 (F16C)
  bool hasBrain = false;   ///< f32 to bf16 (AVX512-BF16)
  bool hasFma = false;

  explicit Cpu(const ir::Target& target);
};

}  // namespace codegen
