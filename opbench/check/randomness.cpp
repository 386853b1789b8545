#include "opbench/check/randomness.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace opbench {
namespace {

using runtime::Draws;

const double rare = std::log(2 / falseAlarm);

/// How far a sum of independent numbers of mean 0 may be from 0, by Bernstein's inequality: their variances add up to `variance`,
/// and each is at most `range`.
double farthestSum(double variance, double range) {
  const double linear = rare * range / 3;
  return linear + std::sqrt(linear * linear + 2 * rare * variance);
}

std::string meanTest(const Draws& draws) {
  double sum = 0, variance = 0;
  for (size_t i = 0; i < draws.deviations.size(); ++i) {
    sum += draws.deviations[i];
    variance += draws.variances[i];
  }
  const auto count = static_cast<double>(draws.deviations.size());
  const double allowed = farthestSum(variance, draws.range) + count * draws.placeError;
  if (std::abs(sum) <= allowed) return "";
  return fmt::format("its mean is off by {:.3g}, chance makes it {:.3g} at most", sum / count, allowed / count);
}

/// Pairs of elements that are `lag` apart, each element in one pair.
std::string lagTest(const Draws& draws, size_t lag) {
  double sum = 0, variance = 0, count = 0;
  for (size_t block = 0; block + lag < draws.deviations.size(); block += 2 * lag)
    for (size_t i = block; i < block + lag && i + lag < draws.deviations.size(); ++i) {
      sum += draws.deviations[i] * draws.deviations[i + lag];
      variance += draws.variances[i] * draws.variances[i + lag];
      ++count;
    }
  const double allowed = farthestSum(variance, draws.range * draws.range) + count * draws.placeError * draws.placeError;
  if (std::abs(sum) <= allowed) return "";
  return fmt::format(
      "elements that are {} apart depend on each other: their covariance is {:.3g}, chance makes it {:.3g} at most", lag,
      sum / count, allowed / count);
}

std::string placesTest(const Draws& draws) {
  std::vector<double> places = draws.places;
  if (places.empty()) return "";
  std::sort(places.begin(), places.end());
  const auto count = static_cast<double>(places.size());
  double distance = 0;
  for (size_t i = 0; i < places.size(); ++i)
    distance = std::max({distance, places[i] - static_cast<double>(i) / count, static_cast<double>(i + 1) / count - places[i]});
  const double allowed = std::sqrt(rare / (2 * count)) + draws.placeError;
  if (distance <= allowed) return "";
  return fmt::format("its distribution function is off by {:.3g}, chance makes it {:.3g} at most", distance, allowed);
}

std::string whyNot(const Draws& draws) {
  if (!draws.impossible.empty()) return draws.impossible;
  if (std::string why = meanTest(draws); !why.empty()) return why;
  for (int64_t lag : draws.lags)
    if (std::string why = lagTest(draws, static_cast<size_t>(lag)); !why.empty()) return why;
  return placesTest(draws);
}

}  // namespace

std::string improbable(const Draws& draws) {
  const std::string why = whyNot(draws);
  return why.empty() ? "" : fmt::format("output {} is not random: {}", draws.output, why);
}

bool mustDiffer(const Draws& draws) { return draws.logOfEqual < std::log(falseAlarm); }

}  // namespace opbench
