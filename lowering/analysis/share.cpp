#include "lowering/analysis/share.h"

#include <algorithm>
#include <optional>

#include "ir/index/range.h"

namespace lowering {
namespace {

using ir::Expr;
using ir::Op;

/// What the left side of a comparison is more than the right one.
std::optional<ir::Range> differenceOf(const Expr* comparison) {
  const auto left = ir::affine(comparison->src[0]), right = ir::affine(comparison->src[1]);
  const std::optional<ir::Affine> difference = left && right ? ir::minus(*left, *right, 1) : std::nullopt;
  return difference ? ir::rangeOf(*difference) : std::nullopt;
}

/// The share of the values that are less than a number.
double shareBelow(const ir::Range& range, double number) {
  const double least = static_cast<double>(range.least), values = static_cast<double>(range.most) - least + 1;
  return std::clamp((number - least) / values, 0.0, 1.0);
}

double shareOfComparison(const Expr* comparison) {
  const bool isEquality = comparison->op == Op::Eq || comparison->op == Op::Ne;
  const bool isOrder = comparison->op == Op::Lt || comparison->op == Op::Le;
  if ((!isEquality && !isOrder) || comparison->src[0]->dtype != ir::DType::I64) return 1;
  const std::optional<ir::Range> difference = differenceOf(comparison);
  if (!difference) return 1;
  if (isOrder) return shareBelow(*difference, comparison->op == Op::Lt ? 0 : 1);
  const double equal = shareBelow(*difference, 1) - shareBelow(*difference, 0);
  return comparison->op == Op::Eq ? equal : 1 - equal;
}

}  // namespace

double shareOf(const Expr* condition) {
  if (condition->op == Op::Not) return 1 - shareOf(condition->src[0]);
  if (condition->op == Op::And) return shareOf(condition->src[0]) * shareOf(condition->src[1]);
  if (condition->op == Op::Or) {
    const double a = shareOf(condition->src[0]), b = shareOf(condition->src[1]);
    return a + b - a * b;
  }
  return shareOfComparison(condition);
}

}  // namespace lowering
