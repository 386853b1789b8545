#include "ir/index/division.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <set>

#include "ir/index/ceil_div.h"

namespace ir {
namespace {

using Wide = __int128;

constexpr Wide farthest = Wide{1} << 90;  // so that a sum of such products fits

/// x without the multiples of a divisor; the constant is from 0 to before it.
Sum withoutMultiples(const Sum& x, int64_t divisor) {
  const int64_t constant = x.constant % divisor;
  Sum rest{constant < 0 ? constant + divisor : constant, {}};
  for (const Sum::Term& term : x.terms)
    if (term.coefficient % divisor != 0) rest.terms.push_back(term);
  return rest;
}

/// What all coefficients are but for their signs, where several have it and the constant is a multiple; else 1.
int64_t commonFactor(const Sum& sum) {
  if (sum.terms.size() < 2 || sum.terms[0].coefficient == INT64_MIN) return 1;
  const int64_t factor = std::abs(sum.terms[0].coefficient);
  const auto has = [&](const Sum::Term& term) { return term.coefficient == factor || term.coefficient == -factor; };
  return sum.constant % factor == 0 && std::all_of(sum.terms.begin(), sum.terms.end(), has) ? factor : 1;
}

/// Whether an operand is a positive constant.
bool isDivisor(const Expr* x) { return x->isConst() && x->integer() > 0; }

}  // namespace

const Sum& Sums::of(const Expr* expr) {
  if (const auto found = known_.find(expr); found != known_.end()) return found->second;
  return known_.emplace(expr, ofNode(expr).value_or(Sum::of(expr))).first->second;
}

std::optional<Sum> Sums::ofNode(const Expr* node) {
  if (node->op == Op::Const) return Sum{node->integer(), {}};
  const auto operand = [&](size_t i) { return of(node->src[i]); };
  if (node->op == Op::Neg) return plus({}, operand(0), -1);
  if (node->op == Op::Add) return plus(operand(0), operand(1), 1);
  if (node->op == Op::Sub) return plus(operand(0), operand(1), -1);
  if (node->op != Op::Mul) return std::nullopt;
  const Sum a = operand(0), b = operand(1);
  if (b.terms.empty()) return plus({}, a, b.constant);
  return a.terms.empty() ? plus({}, b, a.constant) : std::nullopt;
}

std::optional<Range> Sums::range(const Sum& sum) {
  Wide least = sum.constant, most = sum.constant;
  for (const auto& [atom, coefficient] : sum.terms) {
    const Range& bounds = bounds_.of(atom);
    const Wide a = Wide{coefficient} * bounds.least, b = Wide{coefficient} * bounds.most;
    if (std::min(a, b) < -farthest || std::max(a, b) > farthest) return std::nullopt;
    least += std::min(a, b);
    most += std::max(a, b);
  }
  if (least < INT64_MIN || most > INT64_MAX) return std::nullopt;
  return Range{static_cast<int64_t>(least), static_cast<int64_t>(most)};
}

const Expr* Division::spelledOf(const Sum& sum, const Sum& x, const Expr* spelled) {
  if (spelled != nullptr && sum == x) return spelled;
  const int64_t factor = commonFactor(sum);
  Sum divided = sum.multiples(factor);
  divided.constant = sum.constant / factor;
  const Expr* number = sums_.pool().integer(DType::I64, factor);
  const Expr* expr = sums_.pool().make(Op::Mul, {spell(sums_.pool(), divided), number});
  sums_.note(expr, sum);
  return expr;
}

/// Takes terms out of the rest that are less than a unit, where the others are multiples of it.
bool Division::takeLow(Split& split, const Sum& rest, int64_t unit) {
  const Sum low = withoutMultiples(rest, unit);
  const std::optional<Range> range = sums_.range(low);
  if (!range || floorDivided(range->least, unit) != floorDivided(range->most, unit)) return false;
  const int64_t units = floorDivided(range->least, unit);
  const std::optional<Sum> above = plus(low, Sum{unit, {}}, -units);
  if (!above) return false;
  split.high = rest.multiples(unit);
  split.high.constant = rest.constant / unit + units;
  split.low = *above;
  split.unit = unit;
  return true;
}

std::optional<Division::Split> Division::split(const Sum& x, int64_t divisor) {
  Split split;
  split.whole = x.multiples(divisor);
  split.whole.constant = floorDivided(x.constant, divisor);
  const Sum rest = withoutMultiples(x, divisor);
  if (!sums_.range(x) || !sums_.range(rest)) return std::nullopt;
  std::set<int64_t, std::greater<>> units{divisor};
  for (const Sum::Term& term : rest.terms) units.insert(std::gcd(term.coefficient % divisor, divisor));
  units.erase(1);
  const bool isTaken = std::any_of(units.begin(), units.end(), [&](int64_t unit) { return takeLow(split, rest, unit); });
  if (!isTaken) split.high = rest;
  if (!sums_.range(split.high)) return std::nullopt;
  return split;
}

/// A sum with the same remainder, of fewer terms: remainders by multiples of the divisor are what these are remainders of.
Sum Division::withoutRemainders(const Sum& x, int64_t divisor) {
  const auto isNested = [&](const Expr* atom) {
    return atom->op == Op::Mod && isDivisor(atom->src[1]) && atom->src[1]->integer() % divisor == 0;
  };
  Sum all = withoutMultiples(x, divisor);
  const auto replaceOne = [&] {
    return std::any_of(all.terms.begin(), all.terms.end(), [&](const Sum::Term& term) {
      if (!isNested(term.atom)) return false;
      const Sum inner = sums_.of(term.atom->src[0]);
      std::optional<Sum> next = plus(all.without(term.atom), inner, term.coefficient);
      if (next) next = withoutMultiples(*next, divisor);
      if (!next || !sums_.range(inner) || !sums_.range(*next)) return false;
      all = *next;
      return true;
    });
  };
  while (replaceOne()) {
  }
  return all;
}

/// The quotient of a quotient, or of a remainder by a multiple of the divisor.
std::optional<Sum> Division::quotientOfNested(const Sum& x, int64_t divisor) {
  const bool isNested = x.isOf(Op::FloorDiv) || x.isOf(Op::Mod);
  if (!isNested || !isDivisor(x.terms[0].atom->src[1])) return std::nullopt;
  const Sum inner = sums_.of(x.terms[0].atom->src[0]);
  const int64_t innerDivisor = x.terms[0].atom->src[1]->integer();
  int64_t both = 0;
  if (x.isOf(Op::FloorDiv) && !__builtin_mul_overflow(divisor, innerDivisor, &both) && sums_.range(inner)) {
    const std::optional<Sum> shifted = plus(inner, Sum{innerDivisor, {}}, x.constant);
    return shifted ? quotient(*shifted, both) : std::nullopt;
  }
  if (x.isOf(Op::Mod) && x.constant == 0 && innerDivisor % divisor == 0) {
    const std::optional<Sum> high = quotient(inner, divisor);
    return high ? remainder(*high, innerDivisor / divisor) : std::nullopt;
  }
  return std::nullopt;
}

std::optional<Sum> Division::quotient(const Sum& x, int64_t divisor, const Expr* spelled) {
  if (divisor == 1) return x;
  const std::optional<Split> parts = split(x, divisor);
  if (!parts) return std::nullopt;
  const auto& [whole, high, low, unit] = *parts;
  std::optional<Sum> rest;
  if (unit > 1) rest = quotient(high, divisor / unit);
  if (!rest) rest = quotientOfNested(high, divisor / unit);
  if (!rest) {
    const Expr* number = sums_.pool().integer(DType::I64, divisor / unit);
    rest = sums_.of(sums_.pool().make(Op::FloorDiv, {spelledOf(high, x, spelled), number}));
  }
  return plus(whole, *rest, 1);
}

std::optional<Sum> Division::remainder(const Sum& of, int64_t divisor, const Expr* spelled) {
  if (divisor == 1) return Sum{};
  if (!sums_.range(of)) return std::nullopt;
  const std::optional<Split> parts = split(withoutRemainders(of, divisor), divisor);
  if (!parts) return std::nullopt;
  const auto& [whole, high, low, unit] = *parts;
  std::optional<Sum> rest;
  if (unit > 1) rest = remainder(high, divisor / unit);
  if (!rest) {
    const Expr* number = sums_.pool().integer(DType::I64, divisor / unit);
    rest = sums_.of(sums_.pool().make(Op::Mod, {spelledOf(high, of, spelled), number}));
  }
  return plus(low, *rest, unit);
}

}  // namespace ir
