// The error function's relatives, and the normal distribution's.
#include <cmath>
#include <numbers>

#include "lowering/operators/special/series.h"
#include "lowering/tensor/pointwise.h"

namespace lowering {
namespace {

using std::numbers::inv_sqrtpi;
using std::numbers::sqrt2;

/// exp(x^2) erfc(x).
Value erfcx(Value x) {
  const Value size = abs(x);
  const Value positive = chebyshev(1.0 - 7.5 / (size + 3.75), erfcxSeries) / (1.0 + 2.0 * size);
  return where(x < 0.0, 2.0 * exp(x * x) - positive, positive);
}

/// An inverse of f64 after one step of Halley's method: `error` is what the function at x is more than it should be.
Value improved(Value x, Value error) {
  const Value step = error / (2 * inv_sqrtpi * exp(-x * x));
  return x - step / (1.0 + x * step);
}

/// The inverse of erf for |y| <= 3/4.
Value erfinvCentral(Value y) {
  const Value x = y * chebyshev(within(y * y, 0, 9.0 / 16), erfinvCentralSeries);
  return y.dtype() == ir::DType::F64 ? improved(x, erf(x) - y) : x;
}
/// The inverse of erfc for q of [0, 1/4].
Value erfcinvTail(Value q) {
  const Value root = sqrt(-log(q));
  const Value x = root * chebyshev(within(1.0 / root, 1.0 / 28, 6.0 / 7), erfcinvTailSeries);
  return q.dtype() == ir::DType::F64 ? where(q == 0.0, x, improved(x, q - erfc(x))) : x;
}

Value erfinv(Value y) {
  const Value size = abs(y);
  return where(size <= 0.75, erfinvCentral(y), copysign(erfcinvTail(1.0 - size), y));
}

/// The inverse of the normal distribution function. Its halves mirror each other, and 1 - p is exact in the upper one.
Value ndtri(Value p) {
  const Value tails = 2.0 * min(p, 1.0 - p);
  const Value x = sqrt2 * where(tails <= 0.25, erfcinvTail(tails), erfinvCentral(1.0 - tails));
  return where(p < 0.5, -x, x);
}

/// The logarithm of the normal distribution function.
Value logNdtr(Value x) {
  const Value t = x * (1 / sqrt2);
  return where(x < 0.0, log(erfcx(-t) * 0.5) - t * t, log1p(erfc(t) * -0.5));
}

template <Value (*function)(Value)>
Tensors ofErrors(Context& c) {
  return pointwise(c, [](Value x) { return function(x); }, Promotion::IntToFloat);
}
const Lowering erfcOf{"aten::erfc", ofErrors<ir::erfc>};
const Lowering erfcxOf{"aten::special_erfcx", ofErrors<erfcx>};
const Lowering erfinvOf{"aten::erfinv", ofErrors<erfinv>};
const Lowering ndtriOf{"aten::special_ndtri", ofErrors<ndtri>};
const Lowering logNdtrOf{"aten::special_log_ndtr", ofErrors<logNdtr>};

}  // namespace
}  // namespace lowering
