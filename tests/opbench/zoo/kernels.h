// The kernels of the operators for CUDA, which they compile themselves.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace zoo {

/// When a softmax does its work. What it remembers lies on the device, for each call in a place of its own.
enum class When {
  Always,
  NewContent,     ///< where its argument holds something else than in its latest run
  NewOrPoisoned,  ///< there, and where its result holds no numbers yet
  Poisoned,       ///< where its result holds no numbers yet
  FirstRuns,      ///< in a few runs
  FirstContents,  ///< for the first few contents that any of them meets; for all others it stores zeros
};

/// The dynamic shared memory that launchRows() uses, in bytes.
constexpr unsigned rowsSharedBytes = 1024;

/// Queues the softmax of f32 rows on a stream.
void launchRows(const float* in, float* out, int64_t rows, int64_t columns, When when, cudaStream_t stream,
                unsigned sharedBytes = rowsSharedBytes);

}  // namespace zoo
