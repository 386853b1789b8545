#pragma once

#include "ir/target.h"

namespace tests {

/// An H200: what CUDA kernels are scheduled for in tests that need no GPU.
inline ir::Target hopper() { return {ir::Backend::Cuda, "sm_90", "", 16, 132, int64_t{50} << 20}; }

/// A CPU with AVX-512 and two workers, the same on every machine that runs the tests.
inline ir::Target avx512() {
  return {ir::Backend::Cpu, "skylake-avx512", "+avx512f,+avx512bw,+avx512dq,+avx512vl,+avx2,+f16c,+fma", 64, 2, int64_t{2} << 20};
}

}  // namespace tests
