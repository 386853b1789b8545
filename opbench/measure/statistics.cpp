#include "opbench/measure/statistics.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "ir/error.h"

namespace opbench {
namespace {

/// P(X = k) of a binomial X of n trials, each a success with probability p < 1.
double binomial(double n, double p, double k) {
  const double logChoose = std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
  return std::exp(logChoose + k * std::log(p) + (n - k) * std::log1p(-p));
}

/// P(X >= least): summed from there outwards, away from the mean, until what is left does not count.
double binomialTail(int64_t trials, double p, int64_t least) {
  if (p >= 1) return 1;
  constexpr double negligible = 1e-12;
  const auto n = static_cast<double>(trials);
  const double odds = p / (1 - p);
  const bool isUpper = static_cast<double>(least) > n * p;
  auto k = static_cast<double>(isUpper ? least : least - 1);
  double sum = 0;
  for (double term = binomial(n, p, k); k >= 0 && k <= n && term > negligible * sum;) {
    sum += term;
    term *= isUpper ? (n - k) / (k + 1) * odds : k / (n - k + 1) / odds;
    k += isUpper ? 1 : -1;
  }
  return isUpper ? sum : 1 - sum;
}

/// The least k in [1, n] with at least `share` of the bootstrap's medians at or below the k-th least of n values.
int64_t rankOfMedian(int64_t n, double share) {
  int64_t low = 1, high = n;
  while (low < high) {
    const int64_t k = (low + high) / 2;
    const bool enough = binomialTail(n, static_cast<double>(k) / static_cast<double>(n), (n + 1) / 2) >= share;
    (enough ? high : low) = enough ? k : k + 1;
  }
  return low;
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

double Estimate::width() const { return median == 0 ? 0 : (high - low) / std::abs(median); }

Estimate estimate(const std::vector<double>& values) {
  constexpr double outside = 0.05;
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  const auto n = static_cast<int64_t>(sorted.size());
  const auto at = [&](double share) { return sorted[static_cast<size_t>(rankOfMedian(n, share) - 1)]; };
  return {median(values), at(outside / 2), at(1 - outside / 2)};
}

Quantiles quantiles(const std::vector<double>& values) {
  return {quantile(values, 0.2), quantile(values, 0.5), quantile(values, 0.8)};
}

}  // namespace opbench
