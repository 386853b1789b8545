#include "ir/index/sum.h"

#include <algorithm>

namespace ir {
namespace {

constexpr size_t mostTerms = 64;

/// factor * from, added to a number; false where 64 bits do not hold it.
bool addTo(int64_t& sum, int64_t from, int64_t factor) {
  int64_t product = 0;
  return !__builtin_mul_overflow(from, factor, &product) && !__builtin_add_overflow(sum, product, &sum);
}

const Expr* scaled(ExprPool& pool, const Expr* atom, int64_t by) {
  return pool.make(Op::Mul, {atom, pool.integer(DType::I64, by)});
}

/// The expression with a term more; nullptr is the empty one. An atom of nullptr stands for 1.
const Expr* withTerm(ExprPool& pool, const Expr* sum, const Expr* atom, int64_t by) {
  const auto times = [&](int64_t factor) {
    return atom == nullptr ? pool.integer(DType::I64, factor) : scaled(pool, atom, factor);
  };
  const bool canNegate = by < 0 && by != INT64_MIN;
  if (sum == nullptr) return by == -1 && atom != nullptr ? pool.make(Op::Neg, {atom}) : times(by);
  return canNegate ? pool.make(Op::Sub, {sum, times(-by)}) : pool.make(Op::Add, {sum, times(by)});
}

}  // namespace

Sum Sum::without(const Expr* atom) const {
  Sum rest = *this;
  std::erase_if(rest.terms, [&](const Term& term) { return term.atom == atom; });
  return rest;
}

const Expr* Sum::atom() const {
  return constant == 0 && terms.size() == 1 && terms[0].coefficient == 1 ? terms[0].atom : nullptr;
}

bool Sum::isOf(Op op) const { return terms.size() == 1 && terms[0].coefficient == 1 && terms[0].atom->op == op; }

Sum Sum::multiples(int64_t divisor) const {
  Sum found;
  for (const auto& [atom, coefficient] : terms)
    if (coefficient % divisor == 0) found.terms.push_back({atom, coefficient / divisor});
  return found;
}

std::optional<Sum> plus(const Sum& a, const Sum& b, int64_t factor) {
  Sum sum = a;
  if (!addTo(sum.constant, b.constant, factor)) return std::nullopt;
  for (const auto& [atom, coefficient] : b.terms) {
    auto found = std::find_if(sum.terms.begin(), sum.terms.end(), [&](const Sum::Term& term) { return term.atom == atom; });
    if (found == sum.terms.end()) found = sum.terms.insert(found, {atom, 0});
    if (!addTo(found->coefficient, coefficient, factor)) return std::nullopt;
  }
  std::erase_if(sum.terms, [](const Sum::Term& term) { return term.coefficient == 0; });
  if (sum.terms.size() > mostTerms) return std::nullopt;
  return sum;
}

const Expr* spell(ExprPool& pool, const Sum& sum) {
  const auto isPositive = [](const Sum::Term& term) { return term.coefficient > 0; };
  const auto first = std::find_if(sum.terms.begin(), sum.terms.end(), isPositive);
  const bool startsWithConstant = first == sum.terms.end() && (sum.constant > 0 || sum.terms.empty());
  const Expr* all = startsWithConstant ? pool.integer(DType::I64, sum.constant) : nullptr;
  if (first != sum.terms.end()) all = withTerm(pool, all, first->atom, first->coefficient);
  for (auto term = sum.terms.begin(); term != sum.terms.end(); ++term)
    if (term != first) all = withTerm(pool, all, term->atom, term->coefficient);
  return startsWithConstant || sum.constant == 0 ? all : withTerm(pool, all, nullptr, sum.constant);
}

}  // namespace ir
