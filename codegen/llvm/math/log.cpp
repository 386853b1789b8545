#include "codegen/llvm/math/log.h"

#include <limits>

#include "codegen/llvm/math/constants.h"

// Polynomials are minimax fits (Remez' algorithm, coefficients rounded one by one); an error given with one is the
// error of exact evaluation, relative to the function.

namespace codegen {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();
constexpr double log2eHigh = 0x1.715476p+0, log2eLow = 0x1.4ae0cp-26;

/// x = 2^exponent * (1 + f) with f in [-1/4, 1/2), for x > 0; `bits` is that exponent as an integer in the exponent's place.
struct Split {
  Vec exponent, f, bits;
};
Split split(Vec x) {
  const Vec isTiny = x < 0x1p-126;
  const Vec bits = asBits(select(isTiny, x * 0x1p23, x));
  const Vec n = shiftRightSigned(bits - 0x3f400000, bits.like(23));
  const Vec shift = n << 23;
  const Vec exponent = toFloat(n, 32, true) - select(isTiny, x.like(23.0), x.like(0.0));
  return {exponent, asFloat(bits - shift) - 1.0, shift};
}

/// ln(1 + f) - f for f in [-1/4, 1/2).
Vec logTail(Vec f, bool relaxed) {
  const Vec p = relaxed ? polynomial(f, {-0x1.000038p-1, 0x1.554e5ep-2, -0x1.ff935cp-3, 0x1.9b93b0p-3, -0x1.6314b8p-3,
                                         0x1.21a214p-3, -0x1.128946p-4})  // 2^-22
                        : polynomial(f, {-0x1.000000p-1, 0x1.5555acp-2, -0x1.000082p-2, 0x1.996722p-3, -0x1.54d6d8p-3,
                                         0x1.2875a4p-3, -0x1.0e8c3ep-3, 0x1.b1e880p-4, -0x1.79449cp-5});  // 2^-27
  return f * f * p;
}

/// The logarithm to base e of 2^exponent * (1 + f).
Vec logOf(Vec exponent, Vec f, bool relaxed) {
  const Vec low = fma(exponent, exponent.like(ln2Low), logTail(f, relaxed));
  return fma(exponent, exponent.like(ln2High), f + low);
}

/// `result` for positive finite x; what a logarithm of x is elsewhere.
Vec withEdges(Vec x, Vec result) {
  const Vec finite = select(x < infinity, result, x);
  return select(x > 0.0, finite, select(x == 0.0, x.like(-infinity), x.like(notANumber)));
}

/// The logarithm to base 2 of a positive finite f64 within f32's range; 2^-45.
Vec log2F64(Vec x) {
  const Vec bits = asBits(x);
  const Vec n = shiftRightSigned(bits - int64_t{0x3fe6a09e667f3bcd}, bits.like(52));
  const Vec m = asFloat(bits - (n << 52));
  // An integer is made a floating number by way of the mantissa: AVX2 has no such conversion.
  const Vec magic = x.like(0x1.8p52);
  const Vec exponent = asFloat(n + asBits(magic)) - magic;
  const Vec s = (m - 1.0) / (m + 1.0);
  const Vec p = polynomial(s * s, {0x1.71547652b8251p+1, 0x1.ec709dc53c91bp-1, 0x1.2776c293044a5p-1, 0x1.a61a2efd47370p-2,
                                   0x1.47954d3ae7192p-2, 0x1.21b173db3b725p-2});
  return fma(s, p, exponent);
}

/// 2^t as f64 for |t| <= 1000; 2^-29.
Vec exp2F64(Vec t) {
  const double toNearestF64 = 0x1.8p52;
  const Vec shifted = t + toNearestF64;
  const Vec r = t - (shifted - toNearestF64);
  const Vec p = polynomial(r, {0x1.000000026a466p+0, 0x1.62e430caa8339p-1, 0x1.ebfbdad04d251p-3, 0x1.c6aed0fd2bc5ep-5,
                               0x1.3b2dbec596bc6p-7, 0x1.5f474e04c7c3fp-10, 0x1.41d4b51329cd3p-13});
  return asFloat(asBits(p) + (asBits(shifted) << 52));
}

Vec isOddInteger(Vec y, Vec isInteger) {
  const Vec half = y * 0.5;
  return isInteger & (intrinsic("llvm.trunc", {half}) != half);
}

}  // namespace

Vec logF32(Vec x, bool relaxed) {
  const auto [exponent, f, bits] = split(x);
  return withEdges(x, logOf(exponent, f, relaxed));
}

Vec log2F32(Vec x, bool relaxed) {
  const auto [exponent, f, bits] = split(x);
  const Vec low = fma(f, f.like(log2eLow), logTail(f, relaxed) * log2eHigh);
  return withEdges(x, fma(f, f.like(log2eHigh), low) + exponent);
}

Vec log1pF32(Vec x, bool relaxed) {
  // What the rounded sum 1 + x lost, exactly, is added to f in f's scale.
  const Vec sum = x + 1.0;
  const Vec part = sum - 1.0;
  const Vec lost = (x.like(1.0) - (sum - part)) + (x - part);
  const auto [exponent, f, bits] = split(sum);
  const Vec scaled = select(sum < 0x1p60, asFloat(asBits(x.like(1.0)) - bits) * lost, x.like(0.0));
  const Vec result = logOf(exponent, f + scaled, relaxed);
  return select(abs(x) < 0x1p-60, x, withEdges(sum, result));
}

Vec powF32(Vec a, Vec b) {
  const Vec x = splat(a, b.lanes());
  const Vec y = splat(b, a.lanes());
  const Vec magnitude = abs(x);
  Vec logarithm = log2F64(resizeFloat(magnitude, 64));
  logarithm = select(magnitude == 0.0, logarithm.like(-infinity), logarithm);
  logarithm = select(magnitude < infinity, logarithm, resizeFloat(magnitude, 64));
  Vec t = resizeFloat(y, 64) * logarithm;
  t = select(magnitude == 1.0, t.like(0.0), t);
  const Vec power = resizeFloat(exp2F64(atLeast(atMost(t, 300.0), -300.0)), 32);
  const Vec isInteger = intrinsic("llvm.trunc", {y}) == y;
  const Vec isNegative = asBits(x) < 0;
  const Vec withSign = select(isNegative & isOddInteger(y, isInteger), -power, power);
  const Vec hasNoRoot = (x < 0.0) & (x > -infinity) & (!isInteger);
  const Vec result = select(hasNoRoot, x.like(notANumber), withSign);
  return select((x == 1.0) | (y == 0.0), x.like(1.0), result);
}

}  // namespace codegen
