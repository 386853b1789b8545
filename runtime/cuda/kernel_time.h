#pragma once

#include <functional>

#include "runtime/device.h"

namespace runtime {

/// What CUPTI says of the kernels and copies of `run`, which first fills memory to empty L2 and then queues one run on the
/// current stream: the median over `runs` runs, one after another. The fills do not count.
KernelTime kernelTimeOf(const std::function<void()>& run, int runs);

}  // namespace runtime
