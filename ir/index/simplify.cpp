#include "ir/index/simplify.h"

#include <algorithm>

#include "ir/scalar.h"
#include "ir/walk.h"

namespace ir {

const Expr* Simplifier::operator()(const Expr* expr) {
  for (const Expr* below : postorder(expr, [&](const Expr* x) { return done_.contains(x); })) {
    std::vector<const Expr*> src = below->src;
    const size_t operands = below->isCombining() ? 1 : src.size();  // the others are axes, which it runs over
    for (size_t i = 0; i < operands; ++i) src[i] = done_.at(src[i]);
    done_[below] = node(withOperands(pool_, below, std::move(src)));
  }
  return done_.at(expr);
}

/// A node whose operands are simplified.
const Expr* Simplifier::node(const Expr* written) {
  if (written->op == Op::Where && written->src[1] == written->src[2]) return written->src[1];
  if (written->dtype == DType::I64) return integer(written);
  if (written->dtype != DType::Bool || written->src.empty()) return written;
  const bool isSame = written->src.size() == 2 && written->src[0] == written->src[1];
  if ((written->op == Op::And || written->op == Op::Or) && isSame) return written->src[0];
  if (written->op == Op::Not && written->src[0]->op == Op::Not) return written->src[0]->src[0];
  return written->src[0]->dtype == DType::I64 ? comparison(written) : written;
}

const Expr* Simplifier::integer(const Expr* written) {
  const std::optional<Range> range = sums_.range(Sum::of(written));
  if (range && range->least == range->most) return pool_.integer(DType::I64, range->least);
  switch (written->op) {
    case Op::Add:
    case Op::Sub:
    case Op::Neg:
    case Op::Mul: return sum(written);
    case Op::FloorDiv:
    case Op::Mod:
    case Op::Div:
    case Op::Rem: return division(written);
    case Op::Min:
    case Op::Max:
    case Op::Abs: return choice(written);
    case Op::Cast: return cast(written);
    default: return written;
  }
}

const Expr* Simplifier::sum(const Expr* written) {
  Sum sum = sums_.of(written);
  if (sum.atom() == written) return written;
  if (recombine(sum)) return spelled(sum);
  const Expr* other = spelled(sum);
  return size(other) < size(written) ? other : written;
}

/// The sum as an expression, a constant where it has one value.
const Expr* Simplifier::spelled(const Sum& sum) {
  const std::optional<Range> range = sums_.range(sum);
  if (range && range->least == range->most) return pool_.integer(DType::I64, range->least);
  const Expr* expr = spell(pool_, sum);
  sums_.note(expr, sum);
  return expr;
}

const Expr* Simplifier::division(const Expr* written) {
  const Expr *x = written->src[0], *divisor = written->src[1];
  if (!divisor->isConst() || divisor->integer() <= 0) return written;
  const Sum& sum = sums_.of(x);
  const std::optional<Range> range = sums_.range(sum);
  const bool roundsDown = written->op == Op::FloorDiv || written->op == Op::Mod;
  if (!roundsDown && (!range || range->least < 0)) return written;
  const bool isQuotient = written->op == Op::FloorDiv || written->op == Op::Div;
  std::optional<Sum> result =
      isQuotient ? division_.quotient(sum, divisor->integer(), x) : division_.remainder(sum, divisor->integer(), x);
  if (!result) return written;
  recombine(*result);
  return spelled(*result);
}

/// A quotient that has been simplified.
const Expr* Simplifier::quotientOf(const Expr* x, const Expr* divisor) { return (*this)(pool_.make(Op::FloorDiv, {x, divisor})); }

/// Puts quotients and remainders of the same together again. Returns whether there were any.
bool Simplifier::recombine(Sum& sum) {
  bool isChanged = false;
  const auto once = [&] {
    const std::vector<Sum::Term> terms = sum.terms;
    return std::any_of(terms.begin(), terms.end(), [&](const Sum::Term& term) { return recombine(sum, term); });
  };
  while (once()) isChanged = true;
  return isChanged;
}

/// k * mod(x, a) + k * a * floordiv(x, a) is k * x, and with mod(floordiv(x, a), b) it is k * mod(x, a * b).
bool Simplifier::recombine(Sum& sum, const Sum::Term& remainder) {
  const auto& [atom, factor] = remainder;
  if (atom->op != Op::Mod || !atom->src[1]->isConst() || atom->src[1]->integer() <= 0) return false;
  const Expr* x = atom->src[0];
  const int64_t divisor = atom->src[1]->integer();
  int64_t above = 0;
  if (__builtin_mul_overflow(factor, divisor, &above)) return false;
  const Expr* quotient = quotientOf(x, atom->src[1]);
  for (const auto& [other, coefficient] : sum.terms) {
    if (coefficient != above) continue;
    const bool isPart = other->op == Op::Mod && other->src[0] == quotient && other->src[1]->isConst();
    std::optional<Sum> both;
    int64_t whole = 0;
    if (other == quotient) both = sums_.of(x);
    if (isPart && other->src[1]->integer() > 0 && !__builtin_mul_overflow(divisor, other->src[1]->integer(), &whole))
      both = division_.remainder(sums_.of(x), whole, x);
    const std::optional<Sum> rest = both ? plus(sum.without(atom).without(other), *both, factor) : std::nullopt;
    if (!rest) continue;
    sum = *rest;
    return true;
  }
  return false;
}

/// The operand that a minimum, maximum or absolute value is, where that is decided.
const Expr* Simplifier::choice(const Expr* written) {
  const Sum a = sums_.of(written->src.front());
  const Sum b = written->op == Op::Abs ? Sum{} : sums_.of(written->src.back());
  const std::optional<Sum> difference = plus(a, b, -1);
  const std::optional<Range> range = difference && sums_.range(a) && sums_.range(b) ? sums_.range(*difference) : std::nullopt;
  if (!range || (range->least < 0 && range->most > 0)) return written;
  const bool isFirst = (range->least >= 0) != (written->op == Op::Min);
  if (written->op != Op::Abs) return written->src[isFirst ? 0 : 1];
  return isFirst ? written->src[0] : sum(pool_.make(Op::Neg, {written->src[0]}));
}

/// An integer that was cast to a narrower dtype that holds it.
const Expr* Simplifier::cast(const Expr* written) {
  const Expr* narrow = written->src[0];
  const bool isInteger = isIntegral(narrow->dtype) && narrow->dtype != DType::U64;
  if (narrow->op != Op::Cast || narrow->src[0]->dtype != DType::I64 || !isInteger) return written;
  const std::optional<Range> range = sums_.range(sums_.of(narrow->src[0]));
  const bool holds = range && range->least >= lowest(narrow->dtype) && range->most <= highest(narrow->dtype);
  return holds ? narrow->src[0] : written;
}

const Expr* Simplifier::comparison(const Expr* written) {
  const Op op = written->op;
  if (op != Op::Lt && op != Op::Le && op != Op::Eq && op != Op::Ne) return written;
  const Sum &a = sums_.of(written->src[0]), &b = sums_.of(written->src[1]);
  const std::optional<Sum> difference = plus(a, b, -1);
  const std::optional<Range> range = difference && sums_.range(a) && sums_.range(b) ? sums_.range(*difference) : std::nullopt;
  if (!range) return written;
  const auto decided = [&](bool value) { return pool_.integer(DType::Bool, value ? 1 : 0); };
  const int64_t most = op == Op::Lt ? -1 : 0;  // of the difference where an order holds
  if (op == Op::Lt || op == Op::Le) return range->most <= most ? decided(true) : range->least > most ? decided(false) : written;
  if (range->least == 0 && range->most == 0) return decided(op == Op::Eq);
  return range->least > 0 || range->most < 0 ? decided(op == Op::Ne) : written;
}

/// The nodes of an expression as a tree.
int64_t Simplifier::size(const Expr* expr) {
  constexpr int64_t most = INT64_MAX / 4;
  for (const Expr* node : postorder(expr, [&](const Expr* x) { return sizes_.contains(x); })) {
    int64_t nodes = 1;
    for (const Expr* operand : node->src) nodes = std::min(most, nodes + sizes_.at(operand));
    sizes_[node] = nodes;
  }
  return sizes_.at(expr);
}

const Expr* simplify(ExprPool& pool, const Expr* expr) { return Simplifier(pool)(expr); }

}  // namespace ir
