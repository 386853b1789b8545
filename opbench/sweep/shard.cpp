#include "opbench/sweep/shard.h"

#include <algorithm>
#include <numeric>

#include "inputs/operator_name.h"

namespace opbench {
namespace {

/// Seconds that a sample takes, about: to time it, and to draw and check its data.
double costOf(const inputs::Sample& sample) {
  constexpr double timing = 1, network = 60, bytesPerSecond = 2e8;
  return (inputs::isNetwork(sample.op) ? network : timing) + static_cast<double>(inputs::argumentBytes(sample)) / bytesPerSecond;
}

}  // namespace

std::vector<int> samplesOf(const Shard& shard, const std::vector<inputs::Sample>& samples) {
  std::vector<int> order(samples.size());
  std::iota(order.begin(), order.end(), 1);
  std::vector<double> costs{0};
  for (const inputs::Sample& sample : samples) costs.push_back(costOf(sample));
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return costs[static_cast<size_t>(a)] > costs[static_cast<size_t>(b)]; });
  // The longest first, each to the shard that has the least to do so far.
  std::vector<double> loads(static_cast<size_t>(shard.count));
  std::vector<int> ours;
  for (const int number : order) {
    const auto least = std::min_element(loads.begin(), loads.end());
    *least += costs[static_cast<size_t>(number)];
    if (least - loads.begin() == shard.number - 1) ours.push_back(number);
  }
  std::sort(ours.begin(), ours.end());
  return ours;
}

}  // namespace opbench
