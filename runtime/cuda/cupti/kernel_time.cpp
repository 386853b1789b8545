#include "runtime/cuda/cupti/kernel_time.h"

#include <algorithm>

#include "runtime/cuda/check.h"
#include "runtime/profile/kineto.h"

namespace runtime {
namespace {

using torch::profiler::impl::ActivityType;

/// A kernel, a copy or a fill.
struct Activity {
  std::string name;
  uint64_t start = 0;
  double seconds = 0;
  int64_t stream = 0;
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
      found.push_back({event.name(), event.startNs(), static_cast<double>(event.durationNs()) * 1e-9,
                       static_cast<int64_t>(event.deviceResourceId())});
  std::sort(found.begin(), found.end(), [](const Activity& a, const Activity& b) { return a.start < b.start; });
  return found;
}

}  // namespace

std::optional<KernelTime> kernelTimeOf(const std::function<void()>& before, const std::function<void()>& run, int runs) {
  const auto count = static_cast<size_t>(runs);
  const auto times = [runs](const std::function<void()>& work) {
    return activitiesOf([&] {
      for (int i = 0; i < runs; ++i) work();
    });
  };
  const size_t others = times(before).size();
  const std::vector<Activity> activities = times([&] {
    before();
    run();
  });
  if (others % count != 0 || activities.size() % count != 0) return std::nullopt;  // a record was lost: whose, nobody knows
  const size_t skipped = others / count, each = activities.size() / count;
  if (each <= skipped) return KernelTime{};
  std::vector<double> sums(count, 0);
  for (size_t i = 0; i < activities.size(); ++i)
    if (i % each >= skipped) sums[i / each] += activities[i].seconds;
  std::nth_element(sums.begin(), sums.begin() + runs / 2, sums.end());
  return KernelTime{sums[count / 2], static_cast<int>(each - skipped)};
}

Launches launchesOf(const std::function<void()>& run) {
  Launches launches;
  const std::vector<Activity> activities = activitiesOf(run);
  for (size_t i = 1; i < activities.size(); ++i) {
    launches.kernels.push_back(activities[i].name);
    if (activities[i].stream != activities.front().stream) ++launches.elsewhere;
  }
  std::sort(launches.kernels.begin(), launches.kernels.end());
  return launches;
}

std::vector<std::string> kernelNamesOf(const std::function<void()>& run) {
  const auto isKernel = [](const std::string& name) { return name.rfind("Memcpy ", 0) != 0 && name.rfind("Memset ", 0) != 0; };
  std::vector<std::string> names;
  for (const Activity& activity : activitiesOf(run))
    if (isKernel(activity.name)) names.push_back(activity.name);
  return names;
}

}  // namespace runtime
