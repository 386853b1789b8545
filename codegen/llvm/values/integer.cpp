#include "codegen/llvm/values/integer.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>

namespace codegen {
namespace {

using ir::Op;

Vec hardwareQuotient(Vec a, Vec b, bool isSigned) {
  llvm::IRBuilderBase& builder = *a.builder;
  return {&builder, isSigned ? builder.CreateSDiv(a.value, b.value) : builder.CreateUDiv(a.value, b.value)};
}

bool isSafeConstant(Vec b) {
  const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(b.value);
  return constant != nullptr && !constant->isZero() && !constant->isMinusOne();
}

/// Towards zero, for all divisors but 0 and, if signed, -1.
Vec plainQuotient(Vec a, Vec b, bool isSigned) {
  const int lanes = std::max(a.lanes(), b.lanes());
  return hardwareQuotient(splat(a, lanes), splat(b, lanes), isSigned);
}

/// Vectors have no integer division, and a floating quotient with more bits than both operands truncates to the integer one.
Vec floatingQuotient(Vec a, Vec b, bool isSigned) {
  const int bits = a.bits() == 32 ? 64 : 32;
  const Vec quotient = toFloat(a, bits, isSigned) / toFloat(b, bits, isSigned);
  const Vec wide = toInteger(quotient, 32, isSigned || a.bits() < 32);
  return a.bits() == 32 ? wide : truncate(wide, a.bits());
}

Vec guardedQuotient(Vec a, Vec b, bool isSigned) {
  const Vec one = b.like(1);
  if (!isSigned) return plainQuotient(a, select(b == 0, one, b), false);
  const Vec isMinusOne = b == -1;
  const Vec quotient = plainQuotient(a, select((b == 0) | isMinusOne, one, b), true);
  return select(isMinusOne, -a, quotient);
}

Vec quotientOf(Vec a, Vec b, bool isSigned) {
  if (isSafeConstant(b)) return plainQuotient(a, b, isSigned);
  const bool isVector = a.isVector() || b.isVector();
  return isVector && a.bits() < 64 ? floatingQuotient(a, b, isSigned) : guardedQuotient(a, b, isSigned);
}

}  // namespace

Vec divideIntegers(Op op, const Division& known, Vec a, Vec b) {
  const bool isSigned = known.isSigned && !known.nonNegative;
  if (known.fits32 && a.bits() == 64)
    return zeroExtend(divideIntegers(op, {false, true, false}, truncate(a, 32), truncate(b, 32)), 64);
  const Vec quotient = quotientOf(a, b, isSigned);
  if (op == Op::Div || (op == Op::FloorDiv && !isSigned)) return quotient;
  const Vec rest = a - quotient * b;
  if (op == Op::Rem || !isSigned) return rest;
  const Vec isBelow = (rest != 0) & ((rest ^ b) < 0);
  if (op == Op::Mod) return select(isBelow, rest + b, rest);
  return quotient + signExtend(isBelow, a.bits());
}

}  // namespace codegen
