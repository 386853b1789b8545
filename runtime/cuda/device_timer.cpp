#include "runtime/cuda/device_timer.h"

#include <ATen/ops/zeros.h>
#include <fmt/format.h>

#include "runtime/cuda/check.h"
#include "runtime/cuda/cubin.h"

namespace runtime {
namespace {

constexpr std::string_view stampSource = R"(
extern "C" __global__ void stamp(unsigned long long* now) { asm volatile("mov.u64 %0, %globaltimer;" : "=l"(*now)); }
)";

}  // namespace

DeviceTimer::DeviceTimer(Device& device, CacheFlush& flush, cudaStream_t stream)
    : stamps_(at::zeros({2}, at::TensorOptions(at::kLong).pinned_memory(true))),
      kernel_(toolKernel("stamp", stampSource, device)) {
  const auto nothing = [&] {
    EventPair events;
    flush.queue(stream);  // meanwhile the host queues the rest
    start();
    events.recordStart(stream);
    events.recordStop(stream);
    stop();
    check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    return events.seconds();
  };
  overhead_ = times(nothing).difference();
}

void DeviceTimer::stamp(int place) {
  void* pointer = stamps_.mutable_data_ptr<int64_t>() + place;
  kernel_->launch(&pointer);
}

DeviceTimer::Times DeviceTimer::times(const std::function<double()>& run) const {
  constexpr int least = 3, most = 16;
  constexpr double enough = 0.05;  // seconds of runs
  const auto* stamps = stamps_.const_data_ptr<int64_t>();
  Times closest;
  double total = 0;
  for (int i = 0; i < most && (i < least || total < enough); ++i) {
    Times own;
    own.events = run();
    own.timer = static_cast<double>(stamps[1] - stamps[0]) * 1e-9;
    total += own.timer;
    if (i == 0 || own.difference() < closest.difference()) closest = own;
  }
  return closest;
}

std::string DeviceTimer::fault(const std::function<double()>& run, double hostSeconds) {
  constexpr double agreeing = 1.5, ofTicks = 2e-6;  // the timer ticks every microsecond on some GPUs
  const Times found = times(run);
  const double counted = found.timer - overhead_;
  if (counted - hostSeconds <= agreeing * found.events + ofTicks) return "";
  return fmt::format("events say that a run takes {:.2f} us, the GPU's own timer that it takes {:.2f} us", found.events * 1e6,
                     counted * 1e6);
}

}  // namespace runtime
