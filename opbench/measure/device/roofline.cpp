#include <algorithm>
#include <cmath>

#include "opbench/measure/device/ceilings.h"
#include "opbench/measure/device/copy_times.h"

namespace opbench {

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
