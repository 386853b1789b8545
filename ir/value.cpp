#include "ir/value.h"

namespace ir {
namespace {

/// Arithmetic on Bool by the operations that Bool has, as ATen defines it: addition is or, multiplication is and.
Value applyBool(Op op, Value x, Value y) {
  switch (op) {
    case Op::Add:
    case Op::Max: return apply(Op::Or, x, y);
    case Op::Mul:
    case Op::Min: return apply(Op::And, x, y);
    case Op::Lt: return apply(Op::And, apply(Op::Not, x), y);
    case Op::Le: return apply(Op::Or, apply(Op::Not, x), y);
    default: return {x.pool(), x.pool().make(op, {x.expr(), y.expr()})};  // the rest is verified as it stands
  }
}

}  // namespace

Value apply(Op op, Value x) { return {x.pool(), x.pool().make(op, {x.expr()})}; }

Value apply(Op op, Value x, Value y) {
  if (x.dtype() == DType::Bool && y.dtype() == DType::Bool) {
    const bool logical = op == Op::And || op == Op::Or || op == Op::Xor || op == Op::Eq || op == Op::Ne;
    if (!logical) return applyBool(op, x, y);
  }
  return {x.pool(), x.pool().make(op, {x.expr(), y.expr()})};
}

Value cast(Value x, DType dtype) { return {x.pool(), x.pool().cast(dtype, x.expr())}; }

Value where(Value condition, Value yes, Value no) {
  return {condition.pool(), condition.pool().make(Op::Where, {condition.expr(), yes.expr(), no.expr()})};
}

Value philox(Value seed, Value draw, Value index) {
  return {index.pool(), index.pool().make(Op::Philox, {seed.expr(), draw.expr(), index.expr()})};
}

}  // namespace ir
