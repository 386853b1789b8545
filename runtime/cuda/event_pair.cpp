#include "runtime/cuda/event_pair.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "runtime/cuda/check.h"

namespace runtime {

EventPair::EventPair() {
  check(cudaEventCreate(&start_), "cudaEventCreate");
  check(cudaEventCreate(&stop_), "cudaEventCreate");
}

EventPair::~EventPair() {
  if (start_ != nullptr) cudaEventDestroy(start_);
  if (stop_ != nullptr) cudaEventDestroy(stop_);
}

EventPair::EventPair(EventPair&& other) noexcept
    : start_(std::exchange(other.start_, nullptr)), stop_(std::exchange(other.stop_, nullptr)) {}

void EventPair::recordStart(cudaStream_t stream, unsigned flags) {
  check(cudaEventRecordWithFlags(start_, stream, flags), "cudaEventRecord");
}

void EventPair::recordStop(cudaStream_t stream, unsigned flags) {
  check(cudaEventRecordWithFlags(stop_, stream, flags), "cudaEventRecord");
}

bool EventPair::hasStarted() const {
  const cudaError_t status = cudaEventQuery(start_);
  if (status != cudaErrorNotReady) check(status, "cudaEventQuery");
  return status == cudaSuccess;
}

double EventPair::seconds() const {
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, start_, stop_), "cudaEventElapsedTime");
  return milliseconds * 1e-3;
}

double eventTick(cudaStream_t stream) {
  constexpr size_t number = 200;
  constexpr double rounding = 1e-10;  // of times in f32
  std::vector<EventPair> pairs(number);
  for (EventPair& pair : pairs) {
    pair.recordStart(stream);
    pair.recordStop(stream);
  }
  check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  std::vector<double> times;
  for (const EventPair& pair : pairs) times.push_back(pair.seconds());
  std::sort(times.begin(), times.end());
  double tick = 0;
  for (size_t i = 1; i < number; ++i) {
    const double step = times[i] - times[i - 1];
    if (step > rounding && (tick == 0 || step < tick)) tick = step;
  }
  return tick;
}

}  // namespace runtime
