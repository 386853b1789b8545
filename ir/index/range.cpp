#include "ir/index/range.h"

#include <algorithm>
#include <limits>
#include <unordered_set>

#include "ir/index/ceil_div.h"
#include "ir/index/float_range.h"

namespace ir {
namespace {

using Wide = __int128;

constexpr int64_t fewPoints = 4096;

std::optional<Range> inBits(Wide least, Wide most) {
  if (least < std::numeric_limits<int64_t>::min() || most > std::numeric_limits<int64_t>::max()) return std::nullopt;
  return Range{static_cast<int64_t>(least), static_cast<int64_t>(most)};
}

/// What is left of bounds where others hold too; the others alone where both do not meet.
Range narrowed(const Range& bounds, const Range& known) {
  if (bounds.most < known.least || known.most < bounds.least) return known;
  return {std::max(bounds.least, known.least), std::min(bounds.most, known.most)};
}

std::optional<Range> productOf(const Range& a, const Range& b) {
  const auto corners = {Wide{a.least} * b.least, Wide{a.least} * b.most, Wide{a.most} * b.least, Wide{a.most} * b.most};
  return inBits(std::min(corners), std::max(corners));
}

/// Bounds of an operation whose operands keep `a` and `b`; divisors are positive constants.
std::optional<Range> boundsOfOperation(Op op, const Range& a, const Range& b) {
  const bool hasDivisor = b.least == b.most && b.least > 0;
  if (op == Op::Add) return inBits(Wide{a.least} + b.least, Wide{a.most} + b.most);
  if (op == Op::Sub) return inBits(Wide{a.least} - b.most, Wide{a.most} - b.least);
  if (op == Op::Neg) return inBits(-Wide{a.most}, -Wide{a.least});
  if (op == Op::Mul) return productOf(a, b);
  if (op == Op::Max) return Range{std::max(a.least, b.least), std::max(a.most, b.most)};
  if (op == Op::Min) return Range{std::min(a.least, b.least), std::min(a.most, b.most)};
  if (op == Op::FloorDiv && hasDivisor) return Range{floorDivided(a.least, b.least), floorDivided(a.most, b.least)};
  if (op == Op::Mod && hasDivisor) return a.least >= 0 && a.most < b.least ? a : Range{0, b.least - 1};
  if (op == Op::Div && hasDivisor) return Range{a.least / b.least, a.most / b.least};
  if (op == Op::Rem && hasDivisor)
    return Range{std::clamp(a.least, 1 - b.least, int64_t{0}), std::clamp(a.most, int64_t{0}, b.least - 1)};
  return std::nullopt;
}

struct Term {
  Wide step;
  int64_t extent;
  Wide reach() const { return step * (extent - 1); }
};

/// The coefficients, made positive (which mirrors an axis and so changes nothing), by size.
std::vector<Term> terms(const Affine& index, const std::vector<const Expr*>& axes) {
  std::vector<Term> result;
  for (const Expr* axis : axes) {
    const Wide step = index.of(axis);
    if (axis->axis().extent > 1) result.push_back({step < 0 ? -step : step, axis->axis().extent});
  }
  std::sort(result.begin(), result.end(), [](const Term& a, const Term& b) { return a.step < b.step; });
  return result;
}

bool allDifferent(const std::vector<Term>& terms) {
  std::vector<int64_t> values{0};
  for (const Term& term : terms) {
    const size_t count = values.size();
    for (int64_t i = 1; i < term.extent; ++i)
      for (size_t j = 0; j < count; ++j) values.push_back(values[j] + i * static_cast<int64_t>(term.step));
  }
  return std::unordered_set<int64_t>(values.begin(), values.end()).size() == values.size();
}

/// Whether an affine form takes every value between its ends.
bool isGapless(const Affine& form) {
  std::vector<const Expr*> axes;
  for (const auto& [axis, step] : form.coefficients) axes.push_back(axis);
  Wide reach = 0;
  for (const Term& term : terms(form, axes)) {
    if (term.step > reach + 1) return false;
    reach += term.reach();
  }
  return true;
}

int64_t clamped(Wide value) {
  return static_cast<int64_t>(std::clamp<Wide>(value, std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()));
}

/// The same guard in a form that others can be compared with: without a constant, and with a positive first coefficient.
Guard plain(Guard guard) {
  if (guard.form.coefficients.empty()) return guard;
  const Wide constant = guard.form.constant;
  if (guard.least != INT64_MIN) guard.least = clamped(guard.least - constant);
  if (guard.most != INT64_MAX) guard.most = clamped(guard.most - constant);
  guard.form.constant = 0;
  const auto isEarlier = [](const auto& a, const auto& b) { return a.first->axis().id < b.first->axis().id; };
  const auto& terms = guard.form.coefficients;
  if (std::min_element(terms.begin(), terms.end(), isEarlier)->second > 0) return guard;
  const std::optional<Affine> negated = minus({}, guard.form, 1);
  return negated ? Guard{*negated, clamped(-Wide{guard.most}), clamped(-Wide{guard.least})} : guard;
}

/// Guards on the same terms as one.
std::vector<Guard> united(const std::vector<Guard>& guards) {
  std::vector<Guard> all;
  for (const Guard& guard : guards) {
    const Guard one = plain(guard);
    const auto known = std::find_if(all.begin(), all.end(), [&](const Guard& other) {
      return other.form.constant == one.form.constant && other.form.coefficients == one.form.coefficients;
    });
    if (known == all.end())
      all.push_back(one);
    else
      *known = {one.form, std::max(known->least, one.least), std::min(known->most, one.most)};
  }
  return all;
}

bool shareAxes(const Affine& a, const Affine& b) {
  return std::any_of(a.coefficients.begin(), a.coefficients.end(), [&](const auto& term) { return b.of(term.first) != 0; });
}

}  // namespace

std::optional<Affine> minus(const Affine& a, const Affine& b, int64_t factor) {
  Affine rest = a;
  const auto subtract = [factor](int64_t& from, int64_t value) {
    int64_t product = 0;
    return !__builtin_mul_overflow(factor, value, &product) && !__builtin_sub_overflow(from, product, &from);
  };
  if (!subtract(rest.constant, b.constant)) return std::nullopt;
  for (const auto& [axis, step] : b.coefficients) {
    if (!subtract(rest.coefficients[axis], step)) return std::nullopt;
    if (rest.coefficients[axis] == 0) rest.coefficients.erase(axis);
  }
  return rest;
}

std::optional<Range> rangeOf(const Affine& index) {
  Wide least = index.constant;
  Wide most = index.constant;
  for (const auto& [axis, step] : index.coefficients) {
    if (axis->axis().extent == 0) return std::nullopt;
    const Wide reach = Wide{step} * (axis->axis().extent - 1);
    (reach < 0 ? least : most) += reach;
  }
  return inBits(least, most);
}

std::optional<Range> rangeOf(const Affine& index, const std::vector<Guard>& guards) {
  const std::vector<Guard> all = united(guards);
  std::optional<Affine> rest = index;
  Wide least = 0, most = 0;
  for (const Guard& guard : all) {
    if (guard.form.coefficients.empty() || !isGapless(guard.form)) return std::nullopt;
    const auto& [axis, step] = *guard.form.coefficients.begin();
    const int64_t factor = rest->of(axis) / step;
    rest = minus(*rest, guard.form, factor);
    const std::optional<Range> ends = rangeOf(guard.form);
    if (!rest || !ends || shareAxes(*rest, guard.form)) return std::nullopt;
    for (const Guard& other : all)
      if (&other != &guard && shareAxes(other.form, guard.form)) return std::nullopt;
    const Range kept{std::max(ends->least, guard.least), std::min(ends->most, guard.most)};
    const std::optional<Range> scaled = productOf(kept, {factor, factor});
    if (kept.least > kept.most || !scaled) return std::nullopt;
    least += scaled->least;
    most += scaled->most;
  }
  const std::optional<Range> others = rangeOf(*rest);
  return others ? inBits(least + others->least, most + others->most) : std::nullopt;
}

const Range& Bounds::of(const Expr* index) {
  for (const Expr* node : postorder(index, [&](const Expr* x) { return found_.contains(x); })) {
    if (isFloating(node->dtype)) floats_[node] = ofFloat(node);
    const Range range = ofNode(node);
    const auto known = known_.find(node);
    found_[node] = known == known_.end() ? range : narrowed(range, known->second);
  }
  return found_.at(index);
}

Bounds Bounds::where(const Expr* condition, bool holds) {
  std::unordered_map<const Expr*, Range> known = known_;
  addKnown(known, condition, holds);
  return Bounds(std::move(known));
}

/// Adds what a condition that holds, or does not, says of its operands.
void Bounds::addKnown(std::unordered_map<const Expr*, Range>& known, const Expr* condition, bool holds) {
  if (condition->op == (holds ? Op::And : Op::Or))
    for (const Expr* part : condition->src) addKnown(known, part, holds);
  const bool isOrder = condition->op == Op::Lt || condition->op == Op::Le;
  const bool isEqual = condition->op == (holds ? Op::Eq : Op::Ne);
  if ((!isOrder && !isEqual) || condition->src[0]->dtype != DType::I64) return;
  const Expr *low = condition->src[holds ? 0 : 1], *high = condition->src[holds ? 1 : 0];
  const int64_t apart = isOrder && (condition->op == Op::Lt) == holds ? 1 : 0;
  const auto add = [&](const Expr* node, const Range& range) {
    const auto [found, isNew] = known.emplace(node, range);
    if (!isNew) found->second = narrowed(found->second, range);
  };
  const Range below = of(low), above = of(high);
  if (above.most > INT64_MIN) add(low, {isEqual ? above.least : INT64_MIN, above.most - apart});
  if (below.least < INT64_MAX) add(high, {below.least + apart, isEqual ? below.most : INT64_MAX});
}

Range Bounds::ofNode(const Expr* node) const {
  if (node->op == Op::Axis) return {0, std::max<int64_t>(node->axis().extent - 1, 0)};
  if (node->dtype != DType::I64 || node->op == Op::Load || node->isCombining()) return {};
  if (node->op == Op::Cast) return isFloating(node->src[0]->dtype) ? truncated(floats_.at(node->src[0])) : Range{};
  if (node->op == Op::Const) return {node->integer(), node->integer()};
  const Range& last = found_.at(node->src.back());
  const Range& first = found_.at(node->src[node->op == Op::Where ? 1 : 0]);
  if (node->op == Op::Where) return {std::min(first.least, last.least), std::max(first.most, last.most)};
  return boundsOfOperation(node->op, first, last).value_or(Range{});
}

FloatRange Bounds::ofFloat(const Expr* node) const {
  if (node->op == Op::Load || node->isCombining()) return {};
  std::vector<FloatRange> src;
  for (const Expr* x : node->src) {
    const bool isIndex = node->op == Op::Cast && x->dtype == DType::I64;
    src.push_back(isIndex ? floatRangeOf(found_.at(x), node->dtype) : isFloating(x->dtype) ? floats_.at(x) : FloatRange{});
  }
  return floatRangeOf(node, src);
}

Range boundsOf(const Expr* index) { return Bounds().of(index); }

std::optional<bool> isInjective(const Affine& index, const std::vector<const Expr*>& axes) {
  const std::vector<Term> all = terms(index, axes);
  Wide points = 1;
  Wide reach = 0;
  bool isNested = true;  // each step goes beyond all that the smaller ones reach
  for (const Term& term : all) {
    isNested = isNested && term.step > reach;
    reach += term.reach();
    points = std::min<Wide>(points * term.extent, Wide{1} << 62);
    if (!inBits(0, reach)) return std::nullopt;
  }
  if (isNested) return true;
  if (points > reach + 1) return false;
  if (points > fewPoints) return std::nullopt;
  return allDifferent(all);
}

}  // namespace ir
