#pragma once

#include <optional>
#include <unordered_map>

#include "ir/index/range.h"
#include "ir/index/sum.h"

namespace ir {

/// The sums that I64 expressions are, and what these come to.
class Sums {
 public:
  explicit Sums(ExprPool& pool) : pool_(pool) {}

  ExprPool& pool() const { return pool_; }
  /// An expression as a sum: of itself alone, where it is none.
  const Sum& of(const Expr* expr);
  /// Notes that an expression is spelled for a sum.
  void note(const Expr* expr, const Sum& sum) { known_.emplace(expr, sum); }
  /// Bounds of a sum. Nothing where 64 bits might not hold it: then the value may be another one, as integers wrap.
  std::optional<Range> range(const Sum& sum);

 private:
  std::optional<Sum> ofNode(const Expr* node);

  ExprPool& pool_;
  Bounds bounds_;
  std::unordered_map<const Expr*, Sum> known_;
};

/// Divides sums by positive constants, rounding down, as far as that can be done term by term. Nothing where a sum may wrap.
class Division {
 public:
  explicit Division(Sums& sums) : sums_(sums) {}

  /// `spelled` is the sum as an expression; it is spelled anew without one.
  std::optional<Sum> quotient(const Sum& x, int64_t divisor, const Expr* spelled = nullptr);
  std::optional<Sum> remainder(const Sum& x, int64_t divisor, const Expr* spelled = nullptr);

 private:
  /// x = divisor * whole + unit * (high + low / unit), where low is from 0 to unit - 1: x's quotient is `whole` and
  /// the quotient of `high` by divisor / unit.
  struct Split {
    Sum whole, high, low;
    int64_t unit = 1;
  };
  std::optional<Split> split(const Sum& x, int64_t divisor);
  bool takeLow(Split& split, const Sum& rest, int64_t unit);
  Sum withoutRemainders(const Sum& x, int64_t divisor);
  std::optional<Sum> quotientOfNested(const Sum& x, int64_t divisor);
  const Expr* spelledOf(const Sum& sum, const Sum& x, const Expr* spelled);

  Sums& sums_;
};

}  // namespace ir
