#include "runtime/cuda/barrier.h"

#include <ATen/ops/zeros.h>

#include <array>
#include <atomic>

#include "runtime/cuda/check.h"
#include "runtime/cuda/cubin.h"

namespace runtime {
namespace {

constexpr std::string_view barrierSource = R"(
extern "C" __global__ void barrier(volatile int* is_open) {
  unsigned long long start, now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(start));
  do {
    __nanosleep(200);
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  } while (*is_open == 0 && now - start < 1000000000ull);
}
)";

}  // namespace

Barrier::Barrier(Device& device)
    : isOpen_(at::zeros({1}, at::TensorOptions(at::kInt).pinned_memory(true))),
      kernel_(toolKernel("barrier", barrierSource, device)) {}

void Barrier::close(cudaStream_t stream) {
  auto* flag = isOpen_.mutable_data_ptr<int>();
  check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");  // no earlier one is still being held
  std::atomic_ref(*flag).store(0);
  void* pointer = flag;
  kernel_->launch(&pointer);
}

void Barrier::open() { std::atomic_ref(*isOpen_.mutable_data_ptr<int>()).store(1); }

}  // namespace runtime
