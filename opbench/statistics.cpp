#include "opbench/statistics.h"

#include <algorithm>
#include <cmath>

#include "ir/error.h"

namespace opbench {

double quantile(std::vector<double> values, double q) {
  ir::require(!values.empty() && q >= 0 && q <= 1, "no quantile {} of {} values", q, values.size());
  const double place = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<size_t>(place);
  const auto lower = values.begin() + static_cast<std::ptrdiff_t>(below);
  std::nth_element(values.begin(), lower, values.end());
  if (below + 1 == values.size()) return *lower;
  const double upper = *std::min_element(lower + 1, values.end());
  return *lower + (place - static_cast<double>(below)) * (upper - *lower);
}

double median(std::vector<double> values) { return quantile(std::move(values), 0.5); }

double geomean(const std::vector<double>& values) {
  ir::require(!values.empty(), "no geometric mean of nothing");
  double sum = 0;
  for (double value : values) sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

Quantiles quantiles(const std::vector<double>& values) {
  return {quantile(values, 0.2), quantile(values, 0.5), quantile(values, 0.8)};
}

}  // namespace opbench
