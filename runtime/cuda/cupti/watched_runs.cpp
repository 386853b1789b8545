// The runs of a trial that CUPTI watches.
#include <c10/core/InferenceMode.h>
#include <c10/cuda/CUDAStream.h>

#include "runtime/cuda/check.h"
#include "runtime/cuda/cupti/counters.h"
#include "runtime/cuda/cupti/kernel_time.h"
#include "runtime/cuda/trial.h"

namespace runtime {

std::optional<KernelTime> CudaTrial::kernelTime() {
  constexpr int runs = 11;
  const c10::InferenceMode guard;
  const cudaStream_t stream = c10::cuda::getCurrentCUDAStream().stream();
  const auto before = [&] {
    if (!isCaptured()) outputs_ = {};
    if (workload_.mutates()) workload_.restore(static_cast<int>(turn_));
    advance();
    tools_.flush.fill(stream);
  };
  return kernelTimeOf(before, [&] { start(stream); }, runs);
}

Counters CudaTrial::counters() {
  const c10::InferenceMode guard;
  const cudaStream_t stream = c10::cuda::getCurrentCUDAStream().stream();
  workload_.restore();
  callable_.guard(Guards::None);
  const Counters found = countersOf([&] { tools_.flush.fill(stream); }, [&] { const TensorList outputs = callable_(); });
  callable_.guard(isCaptured() ? Guards::Left : Guards::None);
  check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  return found;
}

std::optional<Launches> CudaTrial::launches() {
  if (isCaptured() || callable_.isDirect) return std::nullopt;
  const c10::InferenceMode guard;
  workload_.restore();
  outputs_ = {};
  const cudaStream_t stream = c10::cuda::getCurrentCUDAStream().stream();
  return launchesOf([&] {
    tools_.flush.fill(stream);
    start(stream);
  });
}

}  // namespace runtime
