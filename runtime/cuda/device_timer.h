#pragma once

#include <ATen/core/Tensor.h>
#include <cuda_runtime_api.h>

#include <functional>
#include <string>

#include "runtime/cuda/event_pair.h"
#include "runtime/cuda/flush.h"
#include "runtime/executable.h"

namespace runtime {

class Device;

/// Asks the GPU's own timer whether runs take as long as events say. A library that is loaded into the process may replace the
/// functions that record events and tell their times, but not the instruction that reads the timer, in kernels around a run.
class DeviceTimer {
 public:
  /// Finds out what the kernels around an empty run add to its time.
  DeviceTimer(Device& device, CacheFlush& flush, cudaStream_t stream);

  /// Queues the kernels before and after a run, outside of its events.
  void start() { stamp(0); }
  void stop() { stamp(1); }
  /// Why the times of events are not to be believed: `events say that a run takes 1.2 us, the GPU's own timer that it takes 4.8
  /// us`. Nothing where they agree in any of some runs. `run` makes one between start() and stop(), waits for it and says what
  /// events say. `hostSeconds` is what the host may add between the kernels and the events.
  std::string fault(const std::function<double()>& run, double hostSeconds);

 private:
  /// The times of a run by both: of the one for which they differ least.
  struct Times {
    double events = 0, timer = 0;
    double difference() const { return timer - events; }
  };
  Times times(const std::function<double()>& run) const;
  void stamp(int place);

  at::Tensor stamps_;  ///< I64[2] in pinned host memory, in nanoseconds
  ExecutablePtr kernel_;
  double overhead_ = 0;
};

}  // namespace runtime
