#include "runtime/cuda/clock.h"

#include <ATen/ops/zeros.h>

#include "runtime/cuda/check.h"
#include "runtime/cuda/cubin.h"

namespace runtime {
namespace {

constexpr int64_t capacity = 16;

// Starts and ends where the timer ticks, whose resolution is up to a microsecond.
constexpr std::string_view clockSource = R"(
static __device__ unsigned long long nanoseconds() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  return now;
}
extern "C" __global__ void read_clock(long long* reading) {
  const unsigned long long before = nanoseconds();
  unsigned long long start, now;
  do start = nanoseconds(); while (start == before);
  const long long ticks = clock64();
  do now = nanoseconds(); while (now - start < 20000);
  reading[0] = clock64() - ticks;
  reading[1] = now - start;
}
)";

}  // namespace

ClockReader::ClockReader(Device& device)
    : readings_(at::zeros({capacity, 2}, at::TensorOptions(at::kLong).pinned_memory(true))),
      kernel_(toolKernel("read_clock", clockSource, device)) {}

void ClockReader::queue() {
  if (queued_ == capacity) return;
  void* reading = readings_.mutable_data_ptr<int64_t>() + 2 * queued_++;
  kernel_->launch(&reading);
}

std::optional<double> ClockReader::collect(cudaStream_t stream) {
  check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  double ticks = 0;
  double nanoseconds = 0;
  const auto* reading = readings_.const_data_ptr<int64_t>();
  for (int64_t i = 0; i < queued_; ++i) {
    ticks += static_cast<double>(reading[2 * i]);
    nanoseconds += static_cast<double>(reading[2 * i + 1]);
  }
  queued_ = 0;
  if (nanoseconds == 0) return std::nullopt;
  return ticks / nanoseconds * 1e9;
}

}  // namespace runtime
