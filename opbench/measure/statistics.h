#pragma once

#include <optional>
#include <vector>

namespace opbench {

/// The value below which a share `q` in [0, 1] of the values lies, interpolated linearly between neighbours as numpy does;
/// the values may stand in any order and there is at least one.
double quantile(std::vector<double> values, double q);
double median(std::vector<double> values);
/// The mean, and the standard deviation with n - 1 below; nothing of a single value.
struct Moments {
  double mean = 0;
  std::optional<double> deviation;
};
/// Those of at least one value.
Moments momentsOf(const std::vector<double>& values);
/// The geometric mean of at least one positive value.
double geomean(const std::vector<double>& values);

/// A median, and the interval that holds it with 95 % confidence.
struct Estimate {
  double median = 0, low = 0, high = 0;
  /// The interval's width as a share of the median.
  double width() const;
  bool operator==(const Estimate&) const = default;
};
/// The median of at least one value and the 95 % percentile interval of its bootstrap. Resampling is not needed for it: the
/// median of a resample is at most the k-th least of n values if at least half of n draws are among the k least, each with
/// probability k/n, a binomial tail (B. Efron, Bootstrap Methods: Another Look at the Jackknife, 1979, section 3).
Estimate estimate(const std::vector<double>& values);

/// The three quantiles that reports show.
struct Quantiles {
  double p20 = 0, p50 = 0, p80 = 0;
};
Quantiles quantiles(const std::vector<double>& values);

}  // namespace opbench
