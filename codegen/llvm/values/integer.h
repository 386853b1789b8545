#pragma once

#include "codegen/llvm/values/vec.h"
#include "ir/expr.h"

namespace codegen {

/// What is known of the operands of an integer division.
struct Division {
  bool isSigned = true;
  bool nonNegative = false;  ///< signed operands are not negative: index arithmetic
  bool fits32 = false;       ///< and fit 32 bits
};

/// ops.def's Div, FloorDiv, Mod or Rem of integers. Never traps: a division by zero gives some integer.
Vec divideIntegers(ir::Op op, const Division& known, Vec a, Vec b);

}  // namespace codegen
