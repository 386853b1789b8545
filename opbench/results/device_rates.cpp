#include "opbench/results/device_rates.h"

#include <algorithm>
#include <cmath>

namespace opbench {

size_t durationClassOf(double seconds) { return seconds < 1e-5 ? 0 : seconds < 1e-4 ? 1 : 2; }

std::string_view durationName(size_t durationClass) {
  constexpr std::array<std::string_view, durationClasses> names{"below 10 us", "10 to 100 us", "100 us and more"};
  return names.at(durationClass);
}

Ceilings highest(const Ceilings& a, const Ceilings& b) {
  return {std::max(a.copy, b.copy), std::max(a.read, b.read), std::max(a.flops, b.flops),
          std::min(a.launchOverhead, b.launchOverhead)};
}

double rooflineSeconds(const Ceilings& ceilings, int64_t bytes, double flops) {
  if (ceilings.copy <= 0) return 0;
  const double moving = static_cast<double>(bytes) / ceilings.copy;
  return std::max(moving, ceilings.flops > 0 ? flops / ceilings.flops : 0);
}

double CopyTimes::seconds(int64_t bytes) const {
  if (points.empty()) return 0;
  if (bytes <= points.front().bytes) return points.front().seconds;
  const Point& last = points.back();
  if (bytes >= last.bytes) return last.seconds * static_cast<double>(bytes) / static_cast<double>(last.bytes);
  const auto above = std::upper_bound(points.begin(), points.end(), bytes, [](int64_t b, const Point& p) { return b < p.bytes; });
  const Point &low = above[-1], &high = *above;
  const double share = std::log(static_cast<double>(bytes) / static_cast<double>(low.bytes)) /
                       std::log(static_cast<double>(high.bytes) / static_cast<double>(low.bytes));
  return low.seconds * std::pow(high.seconds / low.seconds, share);
}

}  // namespace opbench
