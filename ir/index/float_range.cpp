#include "ir/index/float_range.h"

#include <algorithm>
#include <cmath>

namespace ir {
namespace {

bool isFinite(const FloatRange& range) { return range.isNumber && std::isfinite(range.least) && std::isfinite(range.most); }

/// Both ends moved outward by what rounding to a dtype, also to zero, can do.
FloatRange rounded(double least, double most, DType dtype) {
  const double relative = isLowPrecision(dtype) ? 0x1p-7 : 0x1p-23, absolute = 0x1p-14;
  return {least - std::abs(least) * relative - absolute, most + std::abs(most) * relative + absolute, true};
}

FloatRange productOf(const FloatRange& a, const FloatRange& b, DType dtype) {
  const auto [least, most] = std::minmax({a.least * b.least, a.least * b.most, a.most * b.least, a.most * b.most});
  return rounded(least, most, dtype);
}

/// `c < x ? x : c`, also with <=, which is c for NaN.
bool isAtLeast(const Expr* node) {
  const Expr *condition = node->src[0], *x = node->src[1], *c = node->src[2];
  if (!c->isConst() || (condition->op != Op::Lt && condition->op != Op::Le)) return false;
  return condition->src[0] == c && condition->src[1] == x;
}

}  // namespace

FloatRange floatRangeOf(const Range& integer, DType dtype) {
  return rounded(static_cast<double>(integer.least), static_cast<double>(integer.most), dtype);
}

FloatRange floatRangeOf(const Expr* node, const std::vector<FloatRange>& src) {
  if (node->isConst()) {
    const double value = std::get<double>(node->payload);
    return {value, value, !std::isnan(value)};
  }
  if (node->op == Op::Where) {
    const FloatRange &yes = src[1], &no = src[2];
    if (isAtLeast(node)) return {no.least, std::max(yes.most, no.most), no.isNumber};
    return {std::min(yes.least, no.least), std::max(yes.most, no.most), yes.isNumber && no.isNumber};
  }
  const bool areNumbers = std::all_of(src.begin(), src.end(), [](const FloatRange& range) { return range.isNumber; });
  if (!areNumbers || src.empty()) return {};
  if (node->op == Op::Max) return {std::max(src[0].least, src[1].least), std::max(src[0].most, src[1].most), true};
  if (node->op == Op::Min) return {std::min(src[0].least, src[1].least), std::min(src[0].most, src[1].most), true};
  if (!std::all_of(src.begin(), src.end(), isFinite)) return {};
  switch (node->op) {
    case Op::Cast: return rounded(src[0].least, src[0].most, node->dtype);
    case Op::Add: return rounded(src[0].least + src[1].least, src[0].most + src[1].most, node->dtype);
    case Op::Sub: return rounded(src[0].least - src[1].most, src[0].most - src[1].least, node->dtype);
    case Op::Mul: return productOf(src[0], src[1], node->dtype);
    case Op::Neg: return {-src[0].most, -src[0].least, true};
    case Op::Floor:
    case Op::Ceil:
    case Op::Round:
    case Op::Trunc: return {std::floor(src[0].least), std::ceil(src[0].most), true};
    default: return {};
  }
}

Range truncated(const FloatRange& range) {
  constexpr double most = 0x1p62;
  if (!isFinite(range) || range.least < -most || range.most > most) return {};
  return {static_cast<int64_t>(range.least), static_cast<int64_t>(range.most)};
}

}  // namespace ir
