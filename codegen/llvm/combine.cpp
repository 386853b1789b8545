#include "codegen/llvm/combine.h"

#include <algorithm>

#include "ir/error.h"

namespace codegen {
namespace {

/// NaN if either is; `isFirst` says whether the first one is chosen otherwise.
Vec chosen(Vec a, Vec b, Vec isFirst) { return select(isNan(a), a, select(isFirst, a, b)); }

Vec integers(const char* intrinsicName, Vec a, Vec b) {
  const int lanes = std::max(a.lanes(), b.lanes());
  return intrinsic(intrinsicName, {splat(a, lanes), splat(b, lanes)});
}

}  // namespace

Vec maximum(Vec a, Vec b, bool isSigned) {
  return a.isFloat() ? chosen(a, b, a > b) : integers(isSigned ? "llvm.smax" : "llvm.umax", a, b);
}

Vec minimum(Vec a, Vec b, bool isSigned) {
  return a.isFloat() ? chosen(a, b, a < b) : integers(isSigned ? "llvm.smin" : "llvm.umin", a, b);
}

Vec combine(const LlvmMath& math, ir::Op op, ir::DType dtype, Vec a, Vec b) {
  if (op == ir::Op::Add) return a + b;
  if (op == ir::Op::Mul) return a * b;
  if (op == ir::Op::Max) return maximum(a, b, ir::isSigned(dtype));
  if (op == ir::Op::Min) return minimum(a, b, ir::isSigned(dtype));
  if (op == ir::Op::LogAddExp) return math.logAddExp(a, b);
  if (op == ir::Op::And) return a & b;
  if (op == ir::Op::Or) return a | b;
  ir::fail(ir::ErrorKind::Internal, "values cannot be combined by {}", ir::name(op));
}

/// Halves, quarters and so on; a lane that has no partner waits for the end.
Vec combineLanes(const LlvmMath& math, ir::Op op, ir::DType dtype, Vec a) {
  if (!a.isVector()) return a;
  const int count = a.lanes(), half = count / 2;
  if (count == 1) return lane(a, 0);
  const Vec pairs = half == 1 ? combine(math, op, dtype, lane(a, 0), lane(a, 1))
                              : combineLanes(math, op, dtype, combine(math, op, dtype, slice(a, 0, half), slice(a, half, half)));
  return count % 2 == 0 ? pairs : combine(math, op, dtype, pairs, lane(a, count - 1));
}

}  // namespace codegen
