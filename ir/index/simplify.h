#pragma once

#include <unordered_map>

#include "ir/index/division.h"

namespace ir {

/// Simplifies the I64 expressions below others, and the conditions on them: an axis takes the values from 0 to its extent - 1,
/// and what is loaded any. What it makes of an expression has the same value wherever the axes are in range, no more operations
/// that are not linear, and is simplified no further. Sums stay as they are written unless others are smaller.
class Simplifier {
 public:
  explicit Simplifier(ExprPool& pool) : pool_(pool), sums_(pool), division_(sums_) {}

  const Expr* operator()(const Expr* expr);

 private:
  const Expr* node(const Expr* written);
  const Expr* integer(const Expr* written);
  const Expr* sum(const Expr* written);
  const Expr* division(const Expr* written);
  const Expr* choice(const Expr* written);
  const Expr* cast(const Expr* written);
  const Expr* comparison(const Expr* written);
  const Expr* quotientOf(const Expr* x, const Expr* divisor);
  bool recombine(Sum& sum);
  bool recombine(Sum& sum, const Sum::Term& remainder);
  const Expr* spelled(const Sum& sum);
  int64_t size(const Expr* expr);

  ExprPool& pool_;
  Sums sums_;
  Division division_;
  std::unordered_map<const Expr*, const Expr*> done_;
  std::unordered_map<const Expr*, int64_t> sizes_;
};

/// One expression simplified.
const Expr* simplify(ExprPool& pool, const Expr* expr);

}  // namespace ir
