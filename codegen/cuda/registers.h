#pragma once

#include "ir/expr.h"

namespace codegen {

/// An element of a register array: a lane of one of its vectors.
struct RegisterPlace {
  const ir::Expr* vector = nullptr;
  const ir::Expr* lane = nullptr;
};

/// Splits an offset into an array of vectors of `lanes` elements. Where the offset is affine in loop variables both parts are,
/// without a division, so that unrolled loops leave constants.
RegisterPlace registerPlace(ir::ExprPool& pool, const ir::Expr* offset, int lanes);

}  // namespace codegen
