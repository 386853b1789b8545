#pragma once

#include <cuda_runtime_api.h>

#include "ir/error.h"

namespace runtime {

/// Throws a Toolchain error that names the call unless it succeeded.
inline void check(cudaError_t result, const char* call) {
  if (result == cudaSuccess) return;
  cudaGetLastError();  // an error that was reported is not the next call's
  ir::fail(ir::ErrorKind::Toolchain, "{} failed: {} ({})", call, cudaGetErrorString(result), cudaGetErrorName(result));
}

}  // namespace runtime
