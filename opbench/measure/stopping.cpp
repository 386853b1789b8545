#include "opbench/measure/stopping.h"

#include <algorithm>

#include "opbench/results/statistics.h"

namespace opbench {

bool StoppingRule::isPrecise(const std::vector<std::vector<double>>& series, int runsOfValue, double precision) {
  size_t values = series.empty() ? 0 : series.front().size();
  for (const auto& one : series) values = std::min(values, one.size());
  if (values < next_ || values * static_cast<size_t>(runsOfValue) < leastRuns) return false;
  next_ = values + values / 2;
  return std::all_of(series.begin(), series.end(), [precision](const auto& one) { return *estimate(one).width() < precision; });
}

}  // namespace opbench
