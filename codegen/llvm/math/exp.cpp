#include "codegen/llvm/math/exp.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicsX86.h>

#include <limits>

#include "codegen/llvm/math/constants.h"

// Polynomials are minimax fits (Remez' algorithm, coefficients rounded to f32 one by one); an error given with one holds for
// exact evaluation, relative to the function.

namespace codegen {
namespace {

constexpr double log2e = 0x1.715476p+0;

/// x = n * ln2 + r with an integer n and |r| <= ln2 / 2; `shifted` has n in its low bits.
struct Reduced {
  Vec shifted, n, r;
};
Reduced reduce(Vec x, bool relaxed = false) {
  const Vec shifted = fma(x, x.like(log2e), toNearest);
  const Vec n = shifted - toNearest;
  const Vec r = relaxed ? fma(n, n.like(-(ln2High + ln2Low)), x) : fma(n, n.like(-ln2Low), fma(n, n.like(-ln2High), x));
  return {shifted, n, r};
}

/// e^r - 1 for |r| <= ln2 / 2; 2^-26.
Vec expm1Reduced(Vec r) {
  const Vec tail = polynomial(r, {0x1.fffffep-2, 0x1.5554a8p-3, 0x1.555796p-5, 0x1.122e28p-7, 0x1.6ac052p-10});
  return fma(r * r, tail, r);
}

/// e^r for |r| <= ln2 / 2; 2^-18, and 1 for 0.
Vec expRelaxed(Vec r) { return polynomial(r, {1.0, 0x1.fffba6p-1, 0x1.0003f0p-1, 0x1.57cef2p-3, 0x1.541700p-5}); }

/// 2^(n + bias) for the integer n in the low bits of `shifted`; the result must be a normal number.
Vec powerOfTwo(Vec shifted, int bias = 0) { return asFloat((asBits(shifted) << 23) + (127 + bias) * (int64_t{1} << 23)); }

/// p * 2^n by AVX-512's scalef on vectors of 16.
Vec scalef(Vec p, Vec n) {
  llvm::IRBuilderBase& builder = *p.builder;
  return inPieces({p, n}, 16, [&](const std::vector<Vec>& x) -> Vec {
    llvm::Value* zero = llvm::Constant::getNullValue(x[0].value->getType());
    return {&builder, builder.CreateIntrinsic(llvm::Intrinsic::x86_avx512_mask_scalef_ps_512, {},
                                              {x[0].value, x[1].value, zero, builder.getInt16(0xffff), builder.getInt32(4)})};
  });
}

/// p * 2^n for n in [-250, 250], in two steps: 2^n need not be a normal number.
Vec scaleInSteps(Vec p, Vec shifted) {
  const Vec n = asBits(shifted) - asBits(shifted.like(toNearest));
  const Vec half = shiftRightSigned(n, n.like(1));
  const auto power = [](Vec k) { return asFloat((k + 127) << 23); };
  return p * power(half) * power(n - half);
}

/// erf(x) for |x| < 0.95; 2^-30.
Vec erfSmall(Vec x) {
  const Vec p = polynomial(
      x * x, {0x1.06eba8p-3, -0x1.812740p-2, 0x1.ce2d64p-4, -0x1.b80124p-6, 0x1.544b08p-8, -0x1.a61810p-11, 0x1.4fa924p-14});
  return fma(x, p, x);
}

/// erf(x) for x in [0.95, 4]: 1 - 2^t(x); 2^-23.
Vec erfLarge(Vec x) {
  const Vec t = polynomial(
      x, {-0x1.7238c8p-12, -0x1.a06904p+0, -0x1.d6e88ep-1, -0x1.32380cp-3, 0x1.050ac6p-5, -0x1.1c72b4p-8, 0x1.2316f2p-12});
  const Vec shifted = t + toNearest;
  const Vec r = t - (shifted - toNearest);
  const Vec q = polynomial(r, {0x1.62e432p-1, 0x1.ebf99ep-3, 0x1.c6acfap-5, 0x1.3cf542p-7, 0x1.6035b4p-10});
  const Vec scale = powerOfTwo(shifted);
  return x.like(1.0) - fma(scale * r, q, scale);
}

/// x times a polynomial in x^2 about the middle of [0, 3.5^2]; 2^-19 relative. Exactly 1 from 3.5 on: whatever is left of 1 can
/// be multiplied by a large number, as in gelu.
Vec erfRelaxed(Vec x) {
  const Vec inside = atLeast(atMost(x, 3.5), -3.5);
  const Vec u = fma(inside, inside, -6.125);
  return inside * polynomial(u, {0x1.9d90e2p-2, -0x1.0c6e48p-5, 0x1.005aecp-8, -0x1.0589eep-11, 0x1.07860cp-14, -0x1.f77dc4p-18,
                                 0x1.c84588p-21, -0x1.92511ap-24, 0x1.2dd256p-27, -0x1.3995060p-31, 0x1.e4b5b4p-35,
                                 -0x1.3e2c34p-37, 0x1.492aecp-41});
}

}  // namespace

Vec expF32(const Cpu& cpu, Vec x, bool relaxed) {
  // Beyond the limits the result is 0 or infinity all the same; infinities would make NaN in the reduction.
  const Vec inside = atLeast(atMost(x, 90.0), -105.0);
  const auto [shifted, n, r] = reduce(inside, relaxed);
  const Vec p = relaxed ? expRelaxed(r) : expm1Reduced(r) + 1.0;
  return cpu.hasAvx512 && x.isVector() ? scalef(p, n) : scaleInSteps(p, shifted);
}

Vec expm1F32(Vec x) {
  const Vec inside = atLeast(atMost(x, 89.0), -30.0);
  const auto [shifted, n, r] = reduce(inside);
  // Half of it, for 2^128 is no f32.
  const Vec scale = powerOfTwo(shifted, -1);
  const Vec half = fma(expm1Reduced(r), scale, scale - 0.5);
  return select(abs(x) < 0x1p-60, x, half * 2.0);
}

Vec tanhF32(Vec x) {
  // -expm1(-2|x|) / (expm1(-2|x|) + 2), which rounds to 1 from 9.02 on.
  const Vec inside = atMost(abs(x), 9.1);
  const auto [shifted, n, r] = reduce(inside * -2.0);
  const Vec scale = powerOfTwo(shifted);
  const Vec e = fma(expm1Reduced(r), scale, scale - 1.0);
  return copySign(e / (e + 2.0), x);
}

Vec erfF32(Vec x, bool relaxed) {
  if (relaxed) return erfRelaxed(x);
  const Vec magnitude = atMost(abs(x), 4.0);
  const Vec large = copySign(erfLarge(magnitude), x);
  // NaN is compared false and stays NaN in erfLarge.
  return select(magnitude < 0.95, erfSmall(x), large);
}

}  // namespace codegen
