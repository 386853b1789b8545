#pragma once

#include "codegen/llvm/math/math.h"
#include "codegen/llvm/values/vec.h"
#include "ir/expr.h"

namespace codegen {

/// ops.def's Max and Min, of floating values (as arithmetic is done on them) or integers.
Vec maximum(Vec a, Vec b, bool isSigned);
Vec minimum(Vec a, Vec b, bool isSigned);
/// `a op b` for an operation that isReduction; floating values as arithmetic is done on them.
Vec combine(const LlvmMath& math, ir::Op op, ir::DType dtype, Vec a, Vec b);
/// All lanes of `a` combined to a scalar, in any order.
Vec combineLanes(const LlvmMath& math, ir::Op op, ir::DType dtype, Vec a);

}  // namespace codegen
