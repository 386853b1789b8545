#pragma once

#include "ir/expr.h"

namespace ir {

/// An expression with its pool, to write others with: `x / (1.0 + exp(-x))`. Operands of two dtypes are an error, except that a
/// number takes the other operand's dtype.
class Value {
 public:
  Value(ExprPool& pool, const Expr* expr) : pool_(&pool), expr_(expr) {}

  const Expr* expr() const { return expr_; }
  ExprPool& pool() const { return *pool_; }
  DType dtype() const { return expr_->dtype; }
  /// A number of this value's dtype.
  Value like(Number auto number) const { return {*pool_, pool_->constant(dtype(), number)}; }

 private:
  ExprPool* pool_;
  const Expr* expr_;
};

Value apply(Op op, Value x);
Value apply(Op op, Value x, Value y);
Value cast(Value x, DType dtype);
/// `condition ? yes : no`; the condition is Bool.
Value where(Value condition, Value yes, Value no);
Value where(Value condition, Value yes, Number auto no) { return where(condition, yes, yes.like(no)); }
Value where(Value condition, Number auto yes, Value no) { return where(condition, no.like(yes), no); }
/// 32 random bits: the word of this index that a seed and the number of a draw have.
Value philox(Value seed, Value draw, Value index);

// Arithmetic and comparisons, with a number on either side; comparisons give Bool.
#define BINARY(function, op)                                                     \
  inline Value function(Value x, Value y) { return apply(Op::op, x, y); }        \
  Value function(Value x, Number auto y) { return apply(Op::op, x, x.like(y)); } \
  Value function(Number auto x, Value y) { return apply(Op::op, y.like(x), y); }
BINARY(operator+, Add)
BINARY(operator-, Sub)
BINARY(operator*, Mul)
BINARY(operator/, Div)
BINARY(operator==, Eq)
BINARY(operator!=, Ne)
BINARY(operator<, Lt)
BINARY(operator<=, Le)
BINARY(operator&, And)
BINARY(operator|, Or)
BINARY(operator^, Xor)
BINARY(max, Max)  // NaN if either is
BINARY(min, Min)
BINARY(pow, Pow)
BINARY(floorDiv, FloorDiv)  // integers, rounded down
BINARY(mod, Mod)            // integers, sign of the divisor
BINARY(rem, Rem)            // sign of the dividend
BINARY(copysign, CopySign)
BINARY(logAddExp, LogAddExp)  // log(exp(x) + exp(y))
#undef BINARY
inline Value operator>(Value x, Value y) { return y < x; }
Value operator>(Value x, Number auto y) { return y < x; }
inline Value operator>=(Value x, Value y) { return y <= x; }
Value operator>=(Value x, Number auto y) { return y <= x; }

#define UNARY(function, op) \
  inline Value function(Value x) { return apply(Op::op, x); }
UNARY(operator-, Neg)
UNARY(operator!, Not)
UNARY(abs, Abs)
UNARY(floor, Floor)
UNARY(ceil, Ceil)
UNARY(trunc, Trunc)
UNARY(round, Round)
UNARY(sqrt, Sqrt)
UNARY(rsqrt, Rsqrt)
UNARY(exp, Exp)
UNARY(expm1, Expm1)
UNARY(log, Log)
UNARY(log2, Log2)
UNARY(log1p, Log1p)
UNARY(sin, Sin)
UNARY(cos, Cos)
UNARY(tanh, Tanh)
UNARY(erf, Erf)
UNARY(isNan, IsNan)
#undef UNARY

// Functions that libraries or ir/routines have, by the names that they have there: `acos(x)`, `atan2(y, x)`.
#define FUNCTION_OF_1(function, op) \
  inline Value function(Value x) { return apply(Op::op, x); }
#define FUNCTION_OF_2(function, op) \
  inline Value function(Value x, Value y) { return apply(Op::op, x, y); }
#define FUNCTION(name, text, arity, symbol, form) FUNCTION_OF_##arity(symbol, name)
#define ROUTINE(name, symbol) FUNCTION_OF_2(symbol, name)
#include "ir/ops.def"
#undef FUNCTION_OF_1
#undef FUNCTION_OF_2

}  // namespace ir
