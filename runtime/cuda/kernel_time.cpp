#include "runtime/cuda/kernel_time.h"

#include <algorithm>

#include "runtime/cuda/check.h"
#include "runtime/profile/kineto.h"

namespace runtime {
namespace {

using torch::profiler::impl::ActivityType;

struct Activity {
  uint64_t start = 0;
  double seconds = 0;
};

std::vector<Activity> activitiesOf(const std::function<void()>& work) {
  const auto waited = [&] {
    work();
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  };
  const auto result = profiled(waited, {ActivityType::CUDA});
  std::vector<Activity> found;
  for (const torch::autograd::profiler::KinetoEvent& event : result->events())
    if (event.deviceType() == c10::DeviceType::CUDA)
      found.push_back({event.startNs(), static_cast<double>(event.durationNs()) * 1e-9});
  std::sort(found.begin(), found.end(), [](const Activity& a, const Activity& b) { return a.start < b.start; });
  return found;
}

}  // namespace

KernelTime kernelTimeOf(const std::function<void()>& run, int runs) {
  const auto work = [&] {
    for (int i = 0; i < runs; ++i) run();
  };
  const std::vector<Activity> activities = activitiesOf(work);
  const size_t each = activities.size() / static_cast<size_t>(runs);
  if (each <= 1) return {};
  std::vector<double> sums(static_cast<size_t>(runs), 0);
  for (size_t i = 0; i < each * sums.size(); ++i)
    if (i % each != 0) sums[i / each] += activities[i].seconds;
  std::nth_element(sums.begin(), sums.begin() + runs / 2, sums.end());
  return {sums[static_cast<size_t>(runs) / 2], static_cast<int>(each) - 1};
}

}  // namespace runtime
