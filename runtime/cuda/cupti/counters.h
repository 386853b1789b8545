#pragma once

#include <functional>

#include "runtime/device.h"

namespace runtime {

/// What the hardware counts in each kernel that `run` queues on the current stream, by CUPTI's range profiler. There are more
/// counters than the hardware has room for: `empty`, which empties the caches, and `run` are called again for each part of them.
/// Kernels run one after another meanwhile. `missing` says why there are none: drivers may keep counters to the administrator.
Counters countersOf(const std::function<void()>& empty, const std::function<void()>& run);

}  // namespace runtime
