#pragma once

#include <torch/csrc/autograd/profiler_kineto.h>

#include <functional>
#include <memory>
#include <set>

namespace runtime {

/// What torch's profiler sees of `work`, which also waits for what it queues. `beforeEnd` is called once it has ended, while the
/// profiler still runs. What `work` throws is thrown on, and leaves the profiler off.
std::unique_ptr<torch::autograd::profiler::ProfilerResult> profiled(
    const std::function<void()>& work, const std::set<torch::profiler::impl::ActivityType>& activities,
    const std::function<void()>& beforeEnd = [] {});

}  // namespace runtime
