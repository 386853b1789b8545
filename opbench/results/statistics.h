#pragma once

#include <cstdint>
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
/// The moments of at least one value.
Moments momentsOf(const std::vector<double>& values);
/// The geometric mean of at least one positive value.
double geomean(const std::vector<double>& values);

/// Two ends, in the unit of the values between them.
struct Interval {
  double low = 0, high = 0;
  bool operator==(const Interval&) const = default;
};

/// A median, and the interval that holds the true one with 95 % confidence; no interval where there are too few values for one.
struct Estimate {
  double median = 0;
  std::optional<Interval> interval;
  /// The interval's width as a share of the median.
  std::optional<double> width() const;
  bool operator==(const Estimate&) const = default;
};
/// As many values have an interval.
inline constexpr int leastForInterval = 6;
/// The median of at least one value of a series, which is given in the order of time, and the interval between two of the values
/// in order. They are as many apart as independent values of any distribution need (the binomial distribution tells), and further
/// where neighbours in time are alike.
Estimate estimate(const std::vector<double>& series);

/// The interval that holds the geometric mean of positive values with 95 % confidence, as if others like them were drawn: between
/// percentiles of the bootstrap. Nothing of fewer than leastForInterval.
std::optional<Interval> geomeanInterval(const std::vector<double>& values);

/// The three quantiles that reports show.
struct Quantiles {
  double p20 = 0, p50 = 0, p80 = 0;
};
Quantiles quantiles(const std::vector<double>& values);

/// How many values lie in each of some bins of equal width.
struct Histogram {
  double low = 0, high = 0;     ///< the least value, and the end of the last bin
  std::vector<int64_t> counts;  ///< by bin; none where there is no histogram
  bool operator==(const Histogram&) const = default;
};
/// The histogram of at least one value, in `bins` bins, or one where all values are equal. The bins end at the 98th percentile,
/// lest a few large values leave no room for the others; the last bin has these as well.
Histogram histogramOf(const std::vector<double>& values, int bins = 24);

}  // namespace opbench
