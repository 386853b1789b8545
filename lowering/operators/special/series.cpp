#include "lowering/operators/special/series.h"

#include <algorithm>
#include <cmath>

namespace lowering {

Value polynomial(Value x, const std::vector<double>& coefficients) {
  Value sum = x.like(coefficients.back());
  for (std::size_t i = coefficients.size() - 1; i-- > 0;) sum = sum * x + coefficients[i];
  return sum;
}

Value chebyshev(Value t, const std::vector<double>& coefficients) {
  const double roundoff = t.dtype() == ir::DType::F64 ? 0x1p-53 : 0x1p-24;
  double largest = 0;
  for (const double c : coefficients) largest = std::max(largest, std::abs(c));
  std::size_t count = coefficients.size();
  while (count > 2 && std::abs(coefficients[count - 1]) < roundoff / 4 * largest) --count;
  const Value twice = t + t;
  Value next = t.like(coefficients[count - 1]), afterNext = t.like(0);
  for (std::size_t i = count - 1; i-- > 1;) {
    const Value sum = twice * next - afterNext + coefficients[i];
    afterNext = next;
    next = sum;
  }
  return t * next - afterNext + coefficients[0];
}

Value within(Value x, double low, double high) { return (x - (low + high) / 2) * (2 / (high - low)); }

}  // namespace lowering
