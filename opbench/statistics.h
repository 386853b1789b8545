#pragma once

#include <vector>

namespace opbench {

/// The value below which a share `q` in [0, 1] of the values lies, interpolated linearly between neighbours as numpy does;
/// the values may stand in any order and there is at least one.
double quantile(std::vector<double> values, double q);
double median(std::vector<double> values);
/// The geometric mean of at least one positive value.
double geomean(const std::vector<double>& values);

/// The three quantiles that reports show.
struct Quantiles {
  double p20 = 0, p50 = 0, p80 = 0;
};
Quantiles quantiles(const std::vector<double>& values);

}  // namespace opbench
