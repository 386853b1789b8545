#include "lowering/analysis/lane_mask.h"

#include <algorithm>

#include "ir/index/division.h"
#include "ir/walk.h"

namespace lowering {
namespace {

using ir::Expr;
using ir::Op;

bool isSame(ir::Sums& sums, const Expr* condition, const Expr* axis, int64_t lanes) {
  if (!ir::dependsOn(condition, axis)) return true;
  if (condition->op == Op::And || condition->op == Op::Or || condition->op == Op::Not)
    return std::all_of(condition->src.begin(), condition->src.end(),
                       [&](const Expr* part) { return isSame(sums, part, axis, lanes); });
  const bool isLess = condition->op == Op::Lt, isAtMost = condition->op == Op::Le;
  if ((!isLess && !isAtMost) || condition->src[0]->dtype != ir::DType::I64) return false;
  // The condition a < b says that b - a is positive, and a <= b that b - a + 1 is.
  const ir::Sum difference = sums.of(sums.pool().make(Op::Sub, {condition->src[1], condition->src[0]}));
  int64_t direction = 0;
  for (const ir::Sum::Term& term : difference.terms) {
    if (term.atom == axis)
      direction = term.coefficient;
    else if (term.coefficient % lanes != 0 || ir::dependsOn(term.atom, axis))
      return false;
  }
  // The sign changes at a multiple of `lanes`: lane < constant where the axis is subtracted, lane >= 1 - constant where it is
  // added.
  const int64_t constant = difference.constant + (isAtMost ? 1 : 0);
  return (direction == -1 && constant % lanes == 0) || (direction == 1 && (constant - 1) % lanes == 0);
}

}  // namespace

bool isSameForLanes(ir::ExprPool& pool, const Expr* condition, const Expr* axis, int64_t lanes) {
  if (!ir::loadsIn({condition}).empty()) return false;
  ir::Sums sums(pool);
  return isSame(sums, condition, axis, lanes);
}

bool isMaskedAlike(ir::ExprPool& pool, const ir::Expr* mask, const ir::Expr* other, const ir::Expr* axis, int64_t lanes) {
  const bool isOneValue = !ir::dependsOn(other, axis) && ir::loadsIn({other}).empty();
  return isOneValue && isSameForLanes(pool, mask, axis, lanes);
}

}  // namespace lowering
