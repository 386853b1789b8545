#include "runtime/cuda/flush.h"

#include <ATen/ops/empty.h>

#include "runtime/cuda/check.h"

namespace runtime {
namespace {

constexpr int64_t flushBytes = int64_t{256} << 20;

}  // namespace

CacheFlush::CacheFlush(at::Device device) : buffer_(at::empty({flushBytes}, at::TensorOptions(at::kByte).device(device))) {}

void CacheFlush::queue(cudaStream_t stream) {
  check(cudaMemsetAsync(buffer_.mutable_data_ptr(), 0, static_cast<size_t>(flushBytes), stream), "cudaMemsetAsync");
}

}  // namespace runtime
