// Bessel functions. They are computed in f64: near their zeros, and where a series falls off, f32 would lose digits.
#include <cmath>
#include <limits>

#include "lowering/operators/special/series.h"
#include "lowering/tensor/pointwise.h"

namespace lowering {
namespace {

/// exp(-x) I0(x), x >= 0.
Value scaledI0(Value x) {
  return where(x <= 8.0, chebyshev(within(x, 0, 8), i0NearSeries), chebyshev(within(1.0 / x, 0, 1.0 / 8), i0FarSeries) / sqrt(x));
}
/// exp(-|x|) I1(x).
Value scaledI1(Value x) {
  const Value size = abs(x), far = chebyshev(within(1.0 / size, 0, 1.0 / 8), i1FarSeries) / sqrt(size);
  return where(size <= 8.0, x * chebyshev(within(size, 0, 8), i1NearSeries), copysign(far, x));
}
Value besselI0e(Value x) { return scaledI0(abs(x)); }
Value besselI1e(Value x) { return scaledI1(x); }
Value besselI0(Value x) { return exp(abs(x)) * scaledI0(abs(x)); }
Value besselI1(Value x) { return exp(abs(x)) * scaledI1(x); }

/// K0 and K1 have a logarithm at 0, and beyond 2 the factor exp(-x), which scaled ones leave out.
Value nearK0(Value x) {
  return chebyshev(within(x * x, 0, 4), k0NearSeries) - log(x * 0.5) * exp(x) * chebyshev(within(x, 0, 8), i0NearSeries);
}
Value nearK1(Value x) {
  const Value i1 = x * exp(x) * chebyshev(within(x, 0, 8), i1NearSeries);
  return chebyshev(within(x * x, 0, 4), k1NearSeries) / x + log(x * 0.5) * i1;
}
Value farK(Value x, const std::vector<double>& series) { return chebyshev(within(1.0 / x, 0, 0.5), series) / sqrt(x); }
/// `value` for positive x.
Value ofPositive(Value x, Value value) {
  return where(x < 0.0, std::numeric_limits<double>::quiet_NaN(),
               where(x == 0.0, std::numeric_limits<double>::infinity(), value));
}
Value besselK0(Value x) { return ofPositive(x, where(x <= 2.0, nearK0(x), exp(-x) * farK(x, k0FarSeries))); }
Value besselK1(Value x) { return ofPositive(x, where(x <= 2.0, nearK1(x), exp(-x) * farK(x, k1FarSeries))); }
Value scaledK0(Value x) { return ofPositive(x, where(x <= 2.0, nearK0(x) * exp(x), farK(x, k0FarSeries))); }
Value scaledK1(Value x) { return ofPositive(x, where(x <= 2.0, nearK1(x) * exp(x), farK(x, k1FarSeries))); }

/// sin(x) / x.
Value sphericalJ0(Value x) {
  const Value series = polynomial(x * x, {1, -1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880, -1.0 / 39916800, 1.0 / 6227020800});
  return where(abs(x) == INFINITY, 0.0, where(abs(x) < 0.5, series, sin(x) / x));
}

/// Where the argument is infinite the cosine in ATen's formula is none.
template <Value (*function)(Value)>
Value ofFinite(Value x) {
  return where(abs(x) == INFINITY, std::numeric_limits<double>::quiet_NaN(), function(x));
}

template <Value (*function)(Value)>
Tensors besselOf(Context& c) {
  return pointwise(c, inDouble<function>, Promotion::IntToFloat);
}
const Lowering i0Of{"aten::i0", besselOf<besselI0>};
const Lowering i0eOf{"aten::special_i0e", besselOf<besselI0e>};
const Lowering i1Of{"aten::special_i1", besselOf<besselI1>};
const Lowering i1eOf{"aten::special_i1e", besselOf<besselI1e>};
const Lowering modifiedI0Of{"aten::special_modified_bessel_i0", besselOf<besselI0>};
const Lowering modifiedI1Of{"aten::special_modified_bessel_i1", besselOf<besselI1>};
const Lowering modifiedK0Of{"aten::special_modified_bessel_k0", besselOf<besselK0>};
const Lowering modifiedK1Of{"aten::special_modified_bessel_k1", besselOf<besselK1>};
const Lowering scaledK0Of{"aten::special_scaled_modified_bessel_k0", besselOf<scaledK0>};
const Lowering scaledK1Of{"aten::special_scaled_modified_bessel_k1", besselOf<scaledK1>};
const Lowering besselJ0Of{"aten::special_bessel_j0", besselOf<ofFinite<ir::j0>>};
const Lowering besselJ1Of{"aten::special_bessel_j1", besselOf<ofFinite<ir::j1>>};
const Lowering besselY0Of{"aten::special_bessel_y0", besselOf<ofFinite<ir::y0>>};
const Lowering besselY1Of{"aten::special_bessel_y1", besselOf<ofFinite<ir::y1>>};
const Lowering sphericalJ0Of{"aten::special_spherical_bessel_j0", besselOf<sphericalJ0>};

}  // namespace
}  // namespace lowering
