#include "lowering/operators/reduction/norm.h"

#include <cmath>

namespace lowering {

Tensor vectorNorm(Context& c, const Tensor& x, double order, const Dims& dims) {
  const Tensor size = map([](Value x) { return abs(x); }, x);
  if (std::isinf(order)) return order > 0 ? amax(c, size, dims) : amin(c, size, dims);
  if (order == 0) return sum(c, map([](Value s) { return cast(s != 0.0, s.dtype()); }, size), dims);
  if (order == 1) return sum(c, size, dims);
  if (order == 2) return map([](Value t) { return sqrt(t); }, sum(c, product(x, x), dims));
  const Tensor total = sum(c, map([order](Value s) { return pow(s, order); }, size), dims);
  return map([order](Value t) { return pow(t, 1 / order); }, total);
}

}  // namespace lowering
