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
  // a < b, or a < b + 1: whether what is left of b - a is above zero.
  const ir::Sum left = sums.of(sums.pool().make(Op::Sub, {condition->src[1], condition->src[0]}));
  int64_t direction = 0;
  for (const ir::Sum::Term& term : left.terms) {
    if (term.atom == axis)
      direction = term.coefficient;
    else if (term.coefficient % lanes != 0 || ir::dependsOn(term.atom, axis))
      return false;
  }
  // It is at most 0 up to a multiple of `lanes`, or above 0 up to the one before a multiple.
  const int64_t above = left.constant + (isAtMost ? 1 : 0);
  return (direction == -1 && above % lanes == 0) || (direction == 1 && (above - 1) % lanes == 0);
}

}  // namespace

bool isSameForLanes(ir::ExprPool& pool, const Expr* condition, const Expr* axis, int64_t lanes) {
  if (!ir::loadsIn({condition}).empty()) return false;
  ir::Sums sums(pool);
  return isSame(sums, condition, axis, lanes);
}

}  // namespace lowering
