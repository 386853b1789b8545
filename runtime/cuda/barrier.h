#pragma once

#include <ATen/core/Tensor.h>
#include <cuda_runtime_api.h>

#include "runtime/executable.h"

namespace runtime {

class Device;

/// Holds a stream back until the host has queued what is to be timed.
class Barrier {
 public:
  explicit Barrier(Device& device);
  /// What is queued on the stream from now on waits for open(), for a second at most: work that the host in turn waits for
  /// does not hang.
  void close(cudaStream_t stream);
  void open();

 private:
  at::Tensor isOpen_;  ///< I32[1] in pinned host memory
  ExecutablePtr kernel_;
};

}  // namespace runtime
