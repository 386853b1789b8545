#pragma once

#include <functional>

#include "runtime/device.h"

namespace runtime {

/// What CUPTI says of the kernels and copies of `run`, which first fills memory to empty L2 and then queues one run on the
/// current stream: the median over `runs` runs, one after another. The fills do not count. Nothing where a record was lost.
std::optional<KernelTime> kernelTimeOf(const std::function<void()>& run, int runs);

/// What CUPTI says of the kernels and copies of `run`, which first fills memory on the current stream. The fill does not count.
Launches launchesOf(const std::function<void()>& run);

/// The names of the kernels that `run` starts, in the order in which they begin, without copies and fills of memory.
std::vector<std::string> kernelNamesOf(const std::function<void()>& run);

}  // namespace runtime
