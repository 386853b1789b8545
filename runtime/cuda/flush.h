#pragma once

#include <ATen/core/Tensor.h>
#include <cuda_runtime_api.h>

#include "runtime/device.h"

namespace runtime {

/// Turns everything out of L2, by writing or reading twice its size, and 128 MB at least.
class CacheFlush {
 public:
  CacheFlush(at::Device device, int64_t l2Bytes);
  void setKind(Flush kind) { kind_ = kind; }
  void queue(cudaStream_t stream);
  /// By writing, whatever the kind.
  void fill(cudaStream_t stream);

 private:
  at::Tensor buffer_;
  at::Tensor sum_;
  Flush kind_ = Flush::Write;
};

}  // namespace runtime
