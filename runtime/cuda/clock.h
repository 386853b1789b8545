#pragma once

#include <ATen/core/Tensor.h>
#include <cuda_runtime_api.h>

#include <optional>

#include "runtime/executable.h"

namespace runtime {

class Device;

/// Reads the multiprocessors' clock in the stream, by counting its ticks for some 20 us of the GPU's own timer.
class ClockReader {
 public:
  explicit ClockReader(Device& device);
  /// Queues a reading; those beyond the first few that were not collected are not made.
  void queue();
  /// Waits for the readings queued since the last call and returns their mean in Hz, or nothing where there are none.
  std::optional<double> collect(cudaStream_t stream);

 private:
  at::Tensor readings_;  ///< I64[capacity, 2] in pinned host memory: ticks, nanoseconds
  ExecutablePtr kernel_;
  int64_t queued_ = 0;
};

}  // namespace runtime
