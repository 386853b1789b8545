#pragma once

#include <functional>

#include "runtime/device.h"

namespace runtime {

/// What CUPTI says of the kernels and copies of `run`, which is queued on the current stream, each time behind `before`, which
/// does not count: the median over `runs` runs, one after another. Nothing where a record was lost.
std::optional<KernelTime> kernelTimeOf(const std::function<void()>& before, const std::function<void()>& run, int runs);

/// What CUPTI says of the kernels and copies of `run`, which first fills memory on the current stream. The fill does not count.
Launches launchesOf(const std::function<void()>& run);

/// The names of the kernels that `run` starts, in the order in which they begin, without copies and fills of memory.
std::vector<std::string> kernelNamesOf(const std::function<void()>& run);

}  // namespace runtime
