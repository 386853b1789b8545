#include "codegen/llvm/values/cast.h"

#include <llvm/ADT/APFloat.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicsX86.h>

#include <limits>

#include "codegen/llvm/values/flow.h"
#include "ir/error.h"

namespace codegen {
namespace {

using ir::DType;

/// A floating format of at most 16 bits: explicit mantissa bits, exponent bias, and the codes (without sign) of
/// numbers too large and of NaN.
struct SmallFloat {
  int bits;
  int mantissa;
  int bias;
  int64_t beyond;
  int64_t nan;
};
constexpr SmallFloat half{16, 10, 15, 0x7c00, 0x7e00};
constexpr SmallFloat e5m2{8, 2, 15, 0x7c, 0x7f};
constexpr SmallFloat e4m3{8, 3, 7, 0x7f, 0x7f};  // no infinity

/// The code of a small float as f32; every value of it is one.
Vec widenCode(const SmallFloat& format, Vec code) {
  const Vec u = zeroExtend(code, 32);
  const Vec magnitude = u & ((1 << (format.bits - 1)) - 1);
  const Vec sign = (u >> (format.bits - 1)) << 31;
  const Vec inPlace = magnitude << (23 - format.mantissa);
  const Vec normal = inPlace + int64_t{127 - format.bias} * (1 << 23);
  const double unit = 1.0 / static_cast<double>(int64_t{1} << (format.bias - 1 + format.mantissa));
  const Vec subnormal = asBits(toFloat(magnitude, 32, true) * unit);
  const Vec finite = select(magnitude < (1 << format.mantissa), subnormal, normal);
  const Vec special = select(magnitude < format.beyond, finite, inPlace | 0x7f800000);
  return asFloat(special | sign);
}

/// f32 as the code of a small float, ties to even.
Vec narrowToCode(const SmallFloat& format, Vec x) {
  const Vec u = asBits(x);
  const Vec sign = (u >> 31) << (format.bits - 1);
  const Vec magnitude = u & 0x7fffffff;
  const int dropped = 23 - format.mantissa;
  const Vec odd = (magnitude >> dropped) & 1;
  const Vec rounded = (magnitude + ((1 << (dropped - 1)) - 1) + odd - int64_t{127 - format.bias} * (1 << 23)) >> dropped;
  // Adding 2^23 units of the subnormals rounds to them.
  const int64_t unit = int64_t{127 + 23 + 1 - format.bias - format.mantissa} << 23;
  const Vec subnormal = asBits(asFloat(magnitude) + asFloat(magnitude.like(unit))) - unit;
  const Vec finite = select(magnitude < (int64_t{128 - format.bias} << 23), subnormal, rounded);
  const Vec bounded = select(finite > format.beyond, finite.like(format.beyond), finite);
  const Vec code = select(magnitude > 0x7f800000, magnitude.like(format.nan), bounded);
  return truncate(code | sign, format.bits);
}

Vec widenBrain(Vec code) { return asFloat(zeroExtend(code, 32) << 16); }

/// f32 to bf16, ties to even.
Vec narrowByBits(Vec x) {
  const Vec u = asBits(x);
  const Vec rounded = (u + 0x7fff + ((u >> 16) & 1)) >> 16;
  return truncate(select(isNan(x), u.like(0x7fc0), rounded), 16);
}

/// The hardware's conversion takes subnormals for zeros; vectors with one are converted by bits.
Vec narrowByHardware(Vec x) {
  llvm::IRBuilderBase& builder = *x.builder;
  const Vec rare = inPieces({x}, 16, [&](const std::vector<Vec>& piece) -> Vec {
    return {&builder,
            builder.CreateIntrinsic(llvm::Intrinsic::x86_avx512_fpclass_ps_512, {}, {piece[0].value, builder.getInt32(0x20)})};
  });
  const Vec usual = inPieces({x}, 16, [&](const std::vector<Vec>& piece) -> Vec {
    llvm::Value* brain = builder.CreateIntrinsic(llvm::Intrinsic::x86_avx512bf16_cvtneps2bf16_512, {}, {piece[0].value});
    return asBits({&builder, brain});
  });
  return unlessAny(rare, usual, [&] { return narrowByBits(x); });
}

Vec narrowToBrain(const Cpu& cpu, Vec x) { return cpu.hasBrain && x.isVector() ? narrowByHardware(x) : narrowByBits(x); }

const llvm::fltSemantics& semantics(DType dtype) {
  if (dtype == DType::F16) return llvm::APFloat::IEEEhalf();
  if (dtype == DType::BF16) return llvm::APFloat::BFloat();
  if (dtype == DType::F8E4M3) return llvm::APFloat::Float8E4M3FN();
  if (dtype == DType::F8E5M2) return llvm::APFloat::Float8E5M2();
  return dtype == DType::F32 ? llvm::APFloat::IEEEsingle() : llvm::APFloat::IEEEdouble();
}

/// f64 to f32 with what is lost kept as an odd last bit, so that rounding once more rounds as if once.
Vec roundToOdd(Vec x) {
  const Vec nearest = resizeFloat(x, 32);
  const Vec back = resizeFloat(nearest, 64);
  const Vec bits = asBits(nearest);
  const Vec isInexact = (back < x) | (back > x);
  const Vec isEven = (bits & 1) == 0;
  const Vec odd = select(abs(back) > abs(x), bits - 1, bits + 1);
  return asFloat(select(isInexact & isEven, odd, bits));
}

/// An integer as f64 with what is lost kept as an odd last bit.
Vec integerToOdd(Vec x, bool isSigned) {
  if (x.bits() < 64) return toFloat(x, 64, isSigned);
  const Vec low = x & 2047;
  const Vec jammed = (x ^ low) | select(low == 0, low, low.like(2048));
  const Vec magnitude = isSigned ? select(x < 0, -x, x) : x;
  const Vec isExact = lessUnsigned(magnitude, magnitude.like(int64_t{1} << 53));
  return toFloat(select(isExact, x, jammed), 64, isSigned);
}

Vec integerToFloating(const Cpu& cpu, Vec x, DType from, DType to) {
  const bool isSigned = ir::isSigned(from);
  if (!ir::isLowPrecision(to)) return toFloat(x, static_cast<int>(8 * ir::sizeOf(to)), isSigned);
  const Vec f32 = x.bits() < 32 ? toFloat(x, 32, isSigned) : roundToOdd(integerToOdd(x, isSigned));
  return fromOpmath(cpu, f32, to);
}

/// Truncates by way of i32, or i64 for what i32 does not hold, as ATen does: small negative values wrap in unsigned dtypes.
Vec floatingToInteger(Vec x, DType to) {
  const int bits = static_cast<int>(8 * ir::sizeOf(to));
  if (to == DType::U64) {
    const Vec isHigh = x.like(0x1p63) <= x;
    const Vec low = toInteger(select(isHigh, x - 0x1p63, x), 64, true);
    return select(isHigh, low ^ std::numeric_limits<int64_t>::min(), low);
  }
  const Vec wide = toInteger(x, bits < 32 || to == DType::I32 ? 32 : 64, true);
  return wide.bits() == bits ? wide : truncate(wide, bits);
}

}  // namespace

llvm::Type* registerType(llvm::IRBuilderBase& builder, DType dtype) {
  if (dtype == DType::Bool) return builder.getInt1Ty();
  if (dtype == DType::F32) return builder.getFloatTy();
  if (dtype == DType::F64) return builder.getDoubleTy();
  if (ir::isComplex(dtype)) ir::fail(ir::ErrorKind::Unsupported, "no CPU code for {}", ir::torchName(dtype));
  return builder.getIntNTy(static_cast<unsigned>(8 * ir::sizeOf(dtype)));
}

llvm::Type* memoryType(llvm::IRBuilderBase& builder, DType dtype) {
  return dtype == DType::Bool ? builder.getInt8Ty() : registerType(builder, dtype);
}

Vec constant(llvm::IRBuilderBase& builder, const ir::Expr* expr) {
  llvm::Type* type = registerType(builder, expr->dtype);
  if (!ir::isFloating(expr->dtype)) return {&builder, llvm::ConstantInt::get(type, static_cast<uint64_t>(expr->integer()), true)};
  llvm::APFloat value(std::get<double>(expr->payload));
  bool isInexact = false;
  value.convert(semantics(expr->dtype), llvm::APFloat::rmNearestTiesToEven, &isInexact);
  if (type->isFloatingPointTy()) return {&builder, llvm::ConstantFP::get(type, value)};
  return {&builder, llvm::ConstantInt::get(type, value.bitcastToAPInt())};
}

Vec toOpmath(const Cpu& cpu, Vec x, DType dtype) {
  if (!ir::isLowPrecision(dtype)) return x;
  if (dtype == DType::BF16) return widenBrain(x);
  if (dtype == DType::F16) return cpu.hasHalf ? resizeFloat(asFloat(x), 32) : widenCode(half, x);
  return widenCode(dtype == DType::F8E4M3 ? e4m3 : e5m2, x);
}

Vec fromOpmath(const Cpu& cpu, Vec x, DType dtype) {
  if (!ir::isLowPrecision(dtype)) return x;
  if (dtype == DType::BF16) return narrowToBrain(cpu, x);
  if (dtype == DType::F16) return cpu.hasHalf ? asBits(resizeFloat(x, 16)) : narrowToCode(half, x);
  return narrowToCode(dtype == DType::F8E4M3 ? e4m3 : e5m2, x);
}

Vec convert(const Cpu& cpu, Vec x, DType from, DType to) {
  if (from == to) return x;
  if (from == DType::Bool) {
    if (ir::isFloating(to)) return fromOpmath(cpu, toFloat(x, to == DType::F64 ? 64 : 32, false), to);
    return zeroExtend(x, static_cast<int>(8 * ir::sizeOf(to)));
  }
  if (ir::isFloating(from)) {
    const Vec wide = toOpmath(cpu, x, from);
    if (to == DType::Bool) return wide != 0.0;
    if (!ir::isFloating(to)) return floatingToInteger(wide, to);
    if (ir::isLowPrecision(to)) return fromOpmath(cpu, from == DType::F64 ? roundToOdd(wide) : wide, to);
    return resizeFloat(wide, to == DType::F64 ? 64 : 32);
  }
  if (to == DType::Bool) return x != 0;
  if (ir::isFloating(to)) return integerToFloating(cpu, x, from, to);
  const int bits = static_cast<int>(8 * ir::sizeOf(to));
  if (bits == x.bits()) return x;
  if (bits < x.bits()) return truncate(x, bits);
  return ir::isSigned(from) ? signExtend(x, bits) : zeroExtend(x, bits);
}

}  // namespace codegen
