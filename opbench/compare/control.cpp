#include "opbench/compare/control.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "opbench/results/statistics.h"

namespace opbench::compare {
namespace {

using Point = Control::Point;

constexpr size_t neighboursInOrder = 25, neighboursInDuration = 51;

/// The `count` points around `value` of a vector that is sorted by `key`; all of them where there are fewer.
std::span<const Point> around(const std::vector<Point>& points, double Point::* key, double value, size_t count) {
  count = std::min(count, points.size());
  const auto at = std::lower_bound(points.begin(), points.end(), value, [key](const Point& p, double v) { return p.*key < v; });
  const auto place = static_cast<size_t>(at - points.begin());
  const size_t first = std::min(place > count / 2 ? place - count / 2 : 0, points.size() - count);
  return {points.data() + first, count};
}

double medianShift(std::span<const Point> points) {
  std::vector<double> shifts;
  for (const Point& point : points) shifts.push_back(point.shift);
  return median(shifts);
}

/// By how much further out the share of Student's distribution lies that `certain` leaves out of the normal one (M. Abramowitz
/// and I. Stegun, Handbook of Mathematical Functions, 26.7.5).
double certaintyLost(double degreesOfFreedom) {
  constexpr double z = Control::certain, z2 = z * z;
  return 1 + (z2 + 1) / (4 * degreesOfFreedom) + (5 * z2 * z2 + 16 * z2 + 3) / (96 * degreesOfFreedom * degreesOfFreedom);
}

/// From a quantile of the deviations' sizes, which tells as much as 0.54 as many values do by their standard deviation.
double deviationOf(std::span<const Point> points) {
  constexpr double efficiency = 0.54;
  std::vector<double> sizes;
  for (const Point& point : points) sizes.push_back(std::abs(point.shift));
  return quantile(sizes, Control::withinDeviation) * certaintyLost(efficiency * static_cast<double>(points.size() - 1));
}

void sortBy(std::vector<Point>& points, double Point::* key) {
  std::sort(points.begin(), points.end(), [key](const Point& a, const Point& b) { return a.*key < b.*key; });
}

}  // namespace

Control::Control(std::vector<Point> points) : inOrder_(std::move(points)) {
  sortBy(inOrder_, &Point::order);
  if (samples() < least) return;
  for (Point point : inOrder_) {
    point.shift -= drift(point.order);
    byDuration_.push_back(point);
  }
  const auto isQuiet = [](const Point& point) { return std::abs(point.shift) <= std::log1p(noisy); };
  if (static_cast<size_t>(std::count_if(byDuration_.begin(), byDuration_.end(), isQuiet)) >= least)
    std::erase_if(byDuration_, [&](const Point& point) { return !isQuiet(point); });
  sortBy(byDuration_, &Point::duration);
}

double Control::drift(double order) const {
  return samples() < least ? 0 : medianShift(around(inOrder_, &Point::order, order, neighboursInOrder));
}

double Control::scatter(double duration) const {
  return samples() < least ? 0 : deviationOf(around(byDuration_, &Point::duration, duration, neighboursInDuration));
}

double Control::drift() const { return samples() < least ? 0 : medianShift(inOrder_); }

double Control::scatter() const { return samples() < least ? 0 : deviationOf(byDuration_); }

}  // namespace opbench::compare
