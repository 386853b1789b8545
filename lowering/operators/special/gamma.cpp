// The gamma function's logarithm, its derivatives, its incomplete integrals, and Hurwitz' zeta function.
#include <cmath>
#include <limits>
#include <numbers>

#include "lowering/operators/special/series.h"
#include "lowering/tensor/pointwise.h"

namespace lowering {
namespace {

using std::numbers::pi;

constexpr double unbounded = std::numeric_limits<double>::infinity(), undefined = std::numeric_limits<double>::quiet_NaN();

/// Bernoulli's numbers B2, B4, ...: as many as f64 needs where the asymptotic series begin.
constexpr double bernoulli[]{1.0 / 6,       -1.0 / 30, 1.0 / 42,      -1.0 / 30,     5.0 / 66,
                             -691.0 / 2730, 7.0 / 6,   -3617.0 / 510, 43867.0 / 798, -174611.0 / 330};
std::size_t termsOf(ir::DType dtype) { return dtype == ir::DType::F64 ? std::size(bernoulli) : 5; }

/// The logarithmic derivative of the gamma function for x >= 0: from 9 on by its asymptotic series, and near its root by a factor
/// of the distance from it.
Value digammaOfPositive(Value x) {
  constexpr double root = 1.4616321449683623, rest = 9.549995429965697e-17;
  const double high = x.dtype() == ir::DType::F64 ? root : static_cast<float>(root);
  const double low = x.dtype() == ir::DType::F64 ? rest : root - high;
  const Value isBelow1 = x < 1.0, y = where(isBelow1, x + 1.0, x);
  const Value near = (y - high - low) * chebyshev(y - 2.0, digammaNearSeries);
  const Value middle = chebyshev(within(y, 3, 9), digammaMiddleSeries);
  std::vector<double> series{0};
  for (std::size_t k = 0; k < termsOf(x.dtype()); ++k) series.push_back(bernoulli[k] / static_cast<double>(2 * (k + 1)));
  const Value far = log(y) - 0.5 / y - polynomial(1.0 / (y * y), series);
  const Value value = where(y < 3.0, near, where(y < 9.0, middle, far));
  return where(isBelow1, value - 1.0 / x, where(x == unbounded, x, value));
}

/// By reflection where x is negative. Poles are at 0, with the sign that x has not, and at negative integers, which have none.
Value digamma(Value x) {
  const Value fraction = x - round(x);
  const Value mirrored = where(fraction == 0.0, undefined, digammaOfPositive(1.0 - x) - pi / tan(fraction * pi));
  return where(x == 0.0, copysign(x.like(unbounded), -x), where(x < 0.0, mirrored, digammaOfPositive(x)));
}

/// The sum of (q + k)^-s over k >= 0, for q > 0 and s > 1, by Euler and Maclaurin's formula from k = 9 on.
Value zetaOfPositive(Value s, Value q) {
  constexpr int first = 9;
  Value sum = ir::pow(q, -s);
  for (int k = 1; k < first; ++k) sum = sum + ir::pow(q + static_cast<double>(k), -s);
  const Value w = q + static_cast<double>(first), power = ir::pow(w, -s);
  Value rest = power * w / (s - 1.0) + power * 0.5, factor = s * power / w;
  double factorial = 2;
  for (std::size_t k = 0; k < termsOf(s.dtype()); ++k) {
    rest = rest + factor * (bernoulli[k] / factorial);
    const auto n = static_cast<double>(2 * k);
    factor = factor * ((s + (n + 1)) / w) * ((s + (n + 2)) / w);
    factorial *= (n + 3) * (n + 4);
  }
  return where(power == 0.0, sum, sum + rest);
}

/// For negative q the terms on both sides of 0 are two sums that begin there, less one that begins beyond q. As on ATen's host it
/// is computed in f64.
Value zeta(Value s, Value q) {
  const Value isEven = (rem(s, 2.0) == 0.0) | (s == unbounded), sign = where(isEven, s.like(1.0), s.like(-1.0));
  const Value across = zetaOfPositive(s, q - floor(q)) + sign * (zetaOfPositive(s, ceil(q) - q) - zetaOfPositive(s, 1.0 - q));
  const Value ofNegative = where(q == floor(q), unbounded, where(s == floor(s), across, undefined));
  const Value value = where(q <= 0.0, ofNegative, zetaOfPositive(s, q));
  return where(s == 1.0, unbounded, where(s < 1.0, undefined, value));
}
Value zetaInDouble(Value s, Value q) { return cast(zeta(cast(s, ir::DType::F64), cast(q, ir::DType::F64)), q.dtype()); }

/// A derivative of digamma.
Tensors polygamma(Context& c) {
  const int64_t n = c.integer("n");
  const double sign = n % 2 == 0 ? -1 : 1, factor = sign * std::tgamma(static_cast<double>(n + 1));
  return pointwise(
      c, {"self"},
      [=](Value x) { return n == 0 ? inDouble<digamma>(x) : factor * zetaInDouble(x.like(static_cast<double>(n + 1)), x); },
      Promotion::IntToFloat);
}

/// The multivariate one of p dimensions.
Tensors multivariateLgamma(Context& c) {
  const int64_t p = c.integer("p");
  return pointwise(
      c, {"self"},
      [p](Value x) {
        const auto n = static_cast<double>(p);
        Value sum = lgamma(x) + n * (n - 1) / 4 * std::log(pi);
        for (int64_t i = 1; i < p; ++i) sum = sum + lgamma(x - static_cast<double>(i) / 2);
        return sum;
      },
      Promotion::IntToFloat);
}

constexpr auto gammaType = Promotion::IntToFloat;
const Lowering lgammaOf{"aten::lgamma", [](Context& c) { return pointwise(c, [](Value x) { return lgamma(x); }, gammaType); }};
const Lowering digammaOf{"aten::digamma", [](Context& c) { return pointwise(c, inDouble<digamma>, gammaType); }};
const Lowering polygammaOf{"aten::polygamma", polygamma};
const Lowering mvlgamma{"aten::mvlgamma", multivariateLgamma};
const Lowering igammaOf{"aten::igamma", [](Context& c) { return pointwise(c, [](Value a, Value x) { return igamma(a, x); }); }};
const Lowering igammacOf{"aten::igammac",
                         [](Context& c) { return pointwise(c, [](Value a, Value x) { return igammac(a, x); }); }};
const Lowering specialZeta{"aten::special_zeta", [](Context& c) {
                             return pointwise(c, [](Value s, Value q) { return zetaInDouble(s, q); }, gammaType);
                           }};

}  // namespace
}  // namespace lowering
