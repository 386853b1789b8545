#pragma once

#include <functional>

#include "runtime/device.h"

namespace runtime {

/// What CUPTI says of the kernels and copies of `run`, which queues one run on the current stream: the median over `runs` runs,
/// one after another. Fills of `ignoredFill` bytes, which empty L2 between them, do not count.
KernelTime kernelTimeOf(const std::function<void()>& run, int runs, int64_t ignoredFill);

}  // namespace runtime
