#pragma once

#include "ir/expr.h"

namespace lowering {

/// Whether a condition is the same for `lanes` neighbouring values of an axis, the first of which is a multiple of `lanes`: as
/// where it compares the axis with multiples of `lanes`. Nothing is known of conditions on what is in memory.
bool isSameForLanes(ir::ExprPool& pool, const ir::Expr* condition, const ir::Expr* axis, int64_t lanes);

}  // namespace lowering
