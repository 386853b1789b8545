#include "codegen/llvm/math/trig.h"

#include <limits>

#include "codegen/llvm/math/constants.h"
#include "codegen/llvm/values/call.h"

namespace codegen {
namespace {

/// sin(x + quadrants * pi/2) for |x| below `largest`.
Vec sinShifted(Vec x, int quadrants) {
  // x = n * pi/2 + r, |r| <= pi/4. The parts of pi/2 are rounded down and n is +0 for x = -0, so that r is -0 then.
  const Vec shifted = fma(x, x.like(0x1.45f306p-1), toNearest);
  const Vec n = shifted - toNearest;
  Vec r = fma(n, n.like(-0x1.921fb4p+0), x);
  r = fma(n, n.like(-0x1.4442d0p-24), r);
  r = fma(n, n.like(-0x1.846988p-48), r);
  const Vec u = r * r;
  const Vec curve = fma(r * u, polynomial(u, {-0x1.555546p-3, 0x1.110776p-7, -0x1.9952fap-13}), r);  // 2^-28
  const Vec sine = select(r == 0.0, r, curve);                                                       // -0 stays
  const Vec tail = polynomial(u, {0x1.55554ap-5, -0x1.6c0c28p-10, 0x1.99e80cp-16});                  // 2^-33
  const Vec cosine = fma(u, fma(u, tail, u.like(-0.5)), 1.0);
  const Vec quadrant = asBits(shifted) + quadrants;
  const Vec chosen = select((quadrant & 1) != 0, cosine, sine);
  return asFloat(asBits(chosen) ^ ((quadrant & 2) << 30));
}

/// From here on pi/2 in three parts is too short.
constexpr double largest = 1e5;

Vec isLarge(Vec x) {
  const Vec magnitude = abs(x);
  return (magnitude > largest) & (magnitude < std::numeric_limits<double>::infinity());
}

}  // namespace

Vec sinF32(const Cpu& cpu, Vec x) { return cpu.hasFma ? orLibm(sinShifted(x, 0), isLarge(x), "sin", {x}) : callLibm("sin", {x}); }
Vec cosF32(const Cpu& cpu, Vec x) { return cpu.hasFma ? orLibm(sinShifted(x, 1), isLarge(x), "cos", {x}) : callLibm("cos", {x}); }

Vec remF32(Vec a, Vec b) {
  const Vec x = splat(a, b.lanes());
  const Vec y = splat(b, a.lanes());
  const Vec ratio = x / y;
  const Vec quotient = intrinsic("llvm.trunc", {ratio});
  // Exact, for below 2^23 the remainder has no more bits than y; off by one y where the quotient was rounded up.
  const Vec rest = intrinsic("llvm.fma", {-quotient, y, x});
  const Vec flipped = asBits(rest) ^ asBits(x);
  const Vec mended = select(flipped < 0, rest + copySign(y, x), rest);
  const Vec result = copySign(select(rest == 0.0, rest, mended), x);
  const Vec isSmall = (abs(ratio) < 0x1p23) & (abs(y) < std::numeric_limits<double>::infinity());
  return orLibm(result, !isSmall, "fmod", {x, y});
}

}  // namespace codegen
