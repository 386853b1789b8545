#include "lowering/operators/reduction/norm.h"

#include <cmath>
#include <limits>

namespace lowering {
namespace {

/// A number to the power of 1 / order. Single precision may not hold that: what its rounding leaves off counts as often as the
/// logarithm says, 8e-7 of a number near 1e36.
Value root(Value total, double order) {
  const double exponent = 1 / order;
  const Value power = pow(total, exponent);
  const double rest = exponent - static_cast<double>(static_cast<float>(exponent));
  if (total.dtype() != ir::DType::F32 || rest == 0) return power;
  const Value isNumber = (total > 0.0) & (total < std::numeric_limits<double>::infinity());
  return where(isNumber, power + power * (log(total) * rest), power);
}

}  // namespace

Tensor vectorNorm(Context& c, const Tensor& x, double order, const Dims& dims) {
  const Tensor size = map([](Value x) { return abs(x); }, x);
  if (std::isinf(order)) return order > 0 ? amax(c, size, dims) : amin(c, size, dims);
  if (order == 0) return sum(c, map([](Value s) { return cast(s != 0.0, s.dtype()); }, size), dims);
  if (order == 1) return sum(c, size, dims);
  if (order == 2) return map([](Value t) { return sqrt(t); }, sum(c, product(x, x), dims));
  const Tensor total = sum(c, map([order](Value s) { return pow(s, order); }, size), dims);
  return map([order](Value t) { return root(t, order); }, total);
}

}  // namespace lowering
