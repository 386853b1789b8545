#include "opbench/results/statistics.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>

#include "ir/error.h"

namespace opbench {
namespace {

/// The share that lies outside the interval for a series whose length does not depend on it. Timing ends when the interval is
/// narrow, which happens more easily where it is too narrow by chance: so it is less than 5 %. The coverage is tested with both.
constexpr double outside = 0.042;

/// A place in n values in order, counted from 1; a place between two of them has a value in between.
using Place = double;

/// The place of the lower end of a median's interval; less than 1 where there are too few values. Between the k-th least and the
/// k-th largest lies the median but for P(X < k) twice, of a binomial X of n throws of a coin. Between the last such pair and the
/// first that is too narrow it is interpolated (T. Hettmansperger and S. Sheather, Statistics & Probability Letters 4, 1986).
Place lowerEnd(int64_t count) {
  const auto n = static_cast<double>(count);
  double within = 1, k = 0;  // of the pair k
  for (;; ++k) {
    const double logChance = std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) - n * std::log(2);
    const double next = within - 2 * std::exp(logChance);
    if (next < 1 - outside) {
      const double share = (within - (1 - outside)) / (within - next);
      return k < 1 ? k : k + (n - k) * share / (k + (n - 2 * k) * share);
    }
    within = next;
  }
}

/// The value at a place.
double at(const std::vector<double>& sorted, Place place) {
  const auto below = static_cast<size_t>(place);
  if (below >= sorted.size()) return sorted.back();
  return sorted[below - 1] + (place - static_cast<double>(below)) * (sorted[below] - sorted[below - 1]);
}

/// The rank of each value, less the mean rank; equal values have equal ones.
Eigen::ArrayXd ranksOf(const std::vector<double>& series, const std::vector<double>& sorted) {
  Eigen::ArrayXd ranks(std::ssize(series));
  for (Eigen::Index i = 0; i < ranks.size(); ++i) {
    const auto [first, last] = std::equal_range(sorted.begin(), sorted.end(), series[static_cast<size_t>(i)]);
    ranks[i] = static_cast<double>((first - sorted.begin()) + (last - sorted.begin()) - std::ssize(sorted)) / 2;
  }
  return ranks;
}

/// The correlation of neighbours in a series of ranks, where it is more than 0: of the normal variates that would have it,
/// without the bias of a short series (F. Marriott and J. Pope, Biometrika 41, 1954).
double correlationOf(const Eigen::ArrayXd& ranks) {
  const Eigen::Index pairs = ranks.size() - 1;
  const double product = (ranks.head(pairs) * ranks.tail(pairs)).sum();
  if (product <= 0) return 0;
  const double ofRanks = product / ranks.square().sum(), bias = (1 + 4 * ofRanks) / static_cast<double>(ranks.size());
  return 2 * std::sin(std::numbers::pi / 6 * std::min(ofRanks + bias, 0.95));
}

/// The variance of the number of values below the median, over the same variance of independent values. Each value is correlated
/// so with the one before it.
double varianceInflation(double correlation) {
  constexpr double negligible = 1e-3;
  double inflation = 1;
  for (double power = correlation; power > negligible; power *= correlation)
    inflation += 2 * (2 / std::numbers::pi * std::asin(power));
  return inflation;
}

}  // namespace

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

Moments momentsOf(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  const Eigen::Map<const Eigen::ArrayXd> all(values.data(), std::ssize(values));
  const double mean = all.mean();
  if (values.size() < 2) return {mean, std::nullopt};
  return {mean, std::sqrt((all - mean).square().sum() / (n - 1))};
}

double geomean(const std::vector<double>& values) {
  ir::require(!values.empty(), "no geometric mean of nothing");
  return std::exp(Eigen::Map<const Eigen::ArrayXd>(values.data(), std::ssize(values)).log().mean());
}

std::optional<double> Estimate::width() const {
  if (!interval) return std::nullopt;
  return median == 0 ? 0 : (interval->high - interval->low) / std::abs(median);
}

Estimate estimate(const std::vector<double>& series) {
  std::vector<double> sorted = series;
  std::sort(sorted.begin(), sorted.end());
  if (sorted.size() < leastForInterval) return {median(sorted), std::nullopt};
  const double middle = static_cast<double>(sorted.size() + 1) / 2;
  const double independent = middle - lowerEnd(std::ssize(sorted));
  const double places = std::min(independent * std::sqrt(varianceInflation(correlationOf(ranksOf(series, sorted)))), middle - 1);
  return {median(sorted), Interval{at(sorted, middle - places), at(sorted, middle + places)}};
}

std::optional<Interval> geomeanInterval(const std::vector<double>& values) {
  constexpr int resamples = 1000;
  if (values.size() < leastForInterval) return std::nullopt;
  const Eigen::ArrayXd logs = Eigen::Map<const Eigen::ArrayXd>(values.data(), std::ssize(values)).log();
  std::mt19937_64 random;  // NOLINT(cert-msc51-cpp): the same interval each time
  std::vector<double> means(resamples);
  for (double& mean : means) {
    double sum = 0;
    for (Eigen::Index i = 0; i < logs.size(); ++i) sum += logs[static_cast<Eigen::Index>(random() % values.size())];
    mean = std::exp(sum / static_cast<double>(values.size()));
  }
  return Interval{quantile(means, 0.025), quantile(means, 0.975)};
}

Quantiles quantiles(const std::vector<double>& values) {
  return {quantile(values, 0.2), quantile(values, 0.5), quantile(values, 0.8)};
}

Histogram histogramOf(const std::vector<double>& values, int bins) {
  constexpr double most = 0.98;
  Histogram histogram;
  histogram.low = *std::min_element(values.begin(), values.end());
  histogram.high = quantile(values, most);
  const double width = (histogram.high - histogram.low) / bins;
  histogram.counts.resize(width > 0 ? static_cast<size_t>(bins) : 1);
  for (const double value : values) {
    const double bin = width > 0 ? (value - histogram.low) / width : 0;
    ++histogram.counts[std::min(static_cast<size_t>(bin), histogram.counts.size() - 1)];
  }
  return histogram;
}

}  // namespace opbench
