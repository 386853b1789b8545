#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/expr.h"

namespace ir {

/// constant + sum of coefficient * atom. An atom is an I64 expression that is no sum itself: an axis, a load, a quotient.
struct Sum {
  struct Term {
    const Expr* atom = nullptr;
    int64_t coefficient = 0;
    bool operator==(const Term&) const = default;
  };

  int64_t constant = 0;
  std::vector<Term> terms;  ///< no zeros, each atom once, in the order in which they first occur
  bool operator==(const Sum&) const = default;

  static Sum of(const Expr* atom) { return {0, {{atom, 1}}}; }
  /// The only term, where its coefficient is 1 and there is no constant; else nullptr.
  const Expr* atom() const;
  /// Whether it is an atom of this operation plus a constant.
  bool isOf(Op op) const;
  /// The same without a term.
  Sum without(const Expr* atom) const;
  /// The terms whose coefficients are multiples of `divisor`, divided by it.
  Sum multiples(int64_t divisor) const;
};

/// a + factor * b; nothing where 64 bits do not hold it, or where it has more terms than are worth looking through.
std::optional<Sum> plus(const Sum& a, const Sum& b, int64_t factor);

/// A sum as an expression: first a positive term, if there is one, and the constant last.
const Expr* spell(ExprPool& pool, const Sum& sum);

}  // namespace ir
