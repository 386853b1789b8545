#include "opbench/sweep/workers/processors.h"

#include <algorithm>

namespace opbench {

ProcessorShares divideProcessors(const std::vector<int>& processors, size_t workers) {
  const size_t each = std::max<size_t>(1, processors.size() / 4 / workers);
  ProcessorShares shares;
  if (processors.size() <= each * workers) return {std::vector<std::vector<int>>(workers), {}};
  for (size_t i = 0; i < workers; ++i) {
    const auto first = processors.begin() + static_cast<std::ptrdiff_t>(i * each);
    shares.workers.emplace_back(first, first + static_cast<std::ptrdiff_t>(each));
  }
  shares.compilers.assign(processors.begin() + static_cast<std::ptrdiff_t>(each * workers), processors.end());
  return shares;
}

std::vector<std::vector<int>> shareOut(const std::vector<int>& processors, int processes) {
  std::vector<std::vector<int>> shares(static_cast<size_t>(processes));
  if (shares.empty() || processors.empty()) return shares;
  const size_t all = std::max(processors.size(), shares.size());
  for (size_t i = 0; i < all; ++i) shares[i % shares.size()].push_back(processors[i % processors.size()]);
  return shares;
}

int compilersFor(const Options& options, const ProcessorShares& shares, size_t processors) {
  if (!options.races(Contender::Opbench) && !options.races(Contender::Inductor)) return 0;
  if (options.compilers) return std::min(*options.compilers, options.samples);
  const int samplesEach = options.races(Contender::Inductor) ? 1 : 4;  // it takes seconds
  const bool isCpu = options.device == "cpu" || (!options.devices.empty() && options.devices.front() == "cpu");
  const auto slots = static_cast<int>(isCpu || shares.compilers.empty() ? processors : shares.compilers.size());
  return std::min(slots, options.samples / samplesEach);
}

}  // namespace opbench
