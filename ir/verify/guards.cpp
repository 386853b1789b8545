#include "ir/verify/guards.h"

#include <unordered_set>

namespace ir {
namespace {

bool isAlways(const Guard& guard) {
  const std::optional<Range> range = rangeOf(guard.form);
  return range && range->least >= guard.least && range->most <= guard.most;
}

/// a - b, if both are affine.
std::optional<Affine> difference(const Expr* a, const Expr* b) {
  const std::optional<Affine> first = affine(a);
  const std::optional<Affine> second = affine(b);
  return first && second ? minus(*first, *second, 1) : std::nullopt;
}

void addGuard(VerifyScope& scope, const std::optional<Affine>& form, int64_t least, int64_t most) {
  if (!form) {
    scope.isUndecided = true;
  } else if (const Guard guard{*form, least, most}; !isAlways(guard)) {
    scope.guards.push_back(guard);
  }
}

/// The operands that nested `op`s join, each once.
std::vector<const Expr*> joined(Op op, const Expr* root) {
  std::vector<const Expr*> operands;
  std::vector<const Expr*> stack{root};
  std::unordered_set<const Expr*> seen{root};
  while (!stack.empty()) {
    const Expr* node = stack.back();
    stack.pop_back();
    if (node->op != op) {
      operands.push_back(node);
      continue;
    }
    for (const Expr* operand : node->src)
      if (seen.insert(operand).second) stack.push_back(operand);
  }
  return operands;
}

/// What a comparison being `holds` says.
void addComparison(VerifyScope& scope, const Expr* condition, bool holds) {
  const bool isOrder = (condition->op == Op::Lt || condition->op == Op::Le) && condition->src[0]->dtype == DType::I64;
  const int64_t most = condition->op == Op::Lt ? -1 : 0;
  const std::optional<Affine> form = isOrder ? difference(condition->src[0], condition->src[1]) : std::nullopt;
  holds ? addGuard(scope, form, INT64_MIN, most) : addGuard(scope, form, most + 1, INT64_MAX);
}

}  // namespace

void addCondition(VerifyScope& scope, const Expr* condition, bool holds) {
  if (!holds) return addComparison(scope, condition, false);
  for (const Expr* one : joined(Op::And, condition)) addComparison(scope, one, true);
}

void addActive(VerifyScope& scope, const Expr* lane, const Expr* active) {
  // A minimum is below each of its operands.
  for (const Expr* bound : joined(Op::Min, active)) addGuard(scope, difference(lane, bound), INT64_MIN, -1);
}

void addFirst(VerifyScope& scope, const Expr* lane, const Expr* first) {
  for (const Expr* bound : joined(Op::Max, first)) addGuard(scope, difference(lane, bound), 0, INT64_MAX);
}

}  // namespace ir
