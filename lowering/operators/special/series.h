#pragma once

#include <vector>

#include "ir/value.h"

namespace lowering {

using ir::Value;

/// c[0] + c[1] x + c[2] x^2 + ..., by Horner's rule.
Value polynomial(Value x, const std::vector<double>& coefficients);
/// c[0] T0(t) + c[1] T1(t) + ... for t of [-1, 1], by Clenshaw's rule. Coefficients that fall off are left
/// out as soon as the dtype cannot tell them from 0.
Value chebyshev(Value t, const std::vector<double>& coefficients);
/// A function in f64, rounded to the dtype of x: of f32, where series lose digits to each other.
template <Value (*function)(Value)>
Value inDouble(Value x) {
  return cast(function(cast(x, ir::DType::F64)), x.dtype());
}
/// The number in [-1, 1] where x lies between two bounds.
Value within(Value x, double low, double high);

// Chebyshev series to f64's precision; series of inverses are less precise: f32 takes them as they are, f64 improves them.

/// (1 + 2x) exp(x^2) erfc(x), of (x - 15/4) / (x + 15/4).
extern const std::vector<double> erfcxSeries;
/// erfinv(y) / y, of y^2 within 0 and 9/16.
extern const std::vector<double> erfinvCentralSeries;
/// v erfcinv(exp(-1 / v^2)), of v within 1/28 and 6/7.
extern const std::vector<double> erfcinvTailSeries;
/// exp(-x) I0(x) and exp(-x) I1(x) / x, of x within 0 and 8.
extern const std::vector<double> i0NearSeries, i1NearSeries;
/// sqrt(x) exp(-x) I0(x) and the same of I1, of 1/x within 0 and 1/8.
extern const std::vector<double> i0FarSeries, i1FarSeries;
/// K0(x) + log(x/2) I0(x) and x (K1(x) - log(x/2) I1(x)), of x^2 within 0 and 4.
extern const std::vector<double> k0NearSeries, k1NearSeries;
/// The logarithmic derivative of the gamma function: by x - its root, of x within 1 and 3; of x within 3 and 9.
extern const std::vector<double> digammaNearSeries, digammaMiddleSeries;
/// sqrt(x) exp(x) K0(x) and the same of K1, of 1/x within 0 and 1/2.
extern const std::vector<double> k0FarSeries, k1FarSeries;

}  // namespace lowering
