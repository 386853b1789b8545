#pragma once

#include <vector>

#include "opbench/settings/options.h"

namespace opbench {

/// The processors of workers and of compilers, on a machine whose GPUs are raced on: a worker has up to a quarter of them,
/// compilers the rest.
struct ProcessorShares {
  std::vector<std::vector<int>> workers;  ///< by worker; none where there are too few to divide
  std::vector<int> compilers;             ///< none where there are too few to divide
};

/// Divides processors among so many workers, at least one, and the compilers.
ProcessorShares divideProcessors(const std::vector<int>& processors, size_t workers);

/// Processors that so many processes share, each its own as far as there are enough: all are shared out.
std::vector<std::vector<int>> shareOut(const std::vector<int>& processors, int processes);

/// The number of compilers: one for each processor that they may use, with a few samples for each.
int compilersFor(const Options& options, const ProcessorShares& shares, size_t processors);

}  // namespace opbench
