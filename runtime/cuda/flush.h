#pragma once

#include <ATen/core/Tensor.h>
#include <cuda_runtime_api.h>

namespace runtime {

/// Turns everything out of L2 by filling 256 MB, the method of all figures here: it leaves L2 full of dirty lines.
class CacheFlush {
 public:
  explicit CacheFlush(at::Device device);
  void queue(cudaStream_t stream);

 private:
  at::Tensor buffer_;
};

}  // namespace runtime
