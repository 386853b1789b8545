#pragma once

#include "ir/expr.h"

namespace lowering {

/// Whether a vector's lanes all meet a condition or all fail it. Lane 0 stands at a multiple of `lanes` along the axis, so
/// comparisons of the axis with multiples of `lanes` pass. Conditions that read memory never do.
bool isSameForLanes(ir::ExprPool& pool, const ir::Expr* condition, const ir::Expr* axis, int64_t lanes);

/// Whether a vector is read as a whole or not at all: `mask` is the same for its lanes, and `other`, which they have where it
/// does not hold, is one value that is not read from memory.
bool isMaskedAlike(ir::ExprPool& pool, const ir::Expr* mask, const ir::Expr* other, const ir::Expr* axis, int64_t lanes);

}  // namespace lowering
