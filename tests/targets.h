#pragma once

#include "ir/target.h"

namespace tests {

/// An H200: what CUDA kernels are scheduled for in tests that need no GPU.
inline ir::Target hopper() { return ir::targetOf("sm_90"); }

/// A CPU with AVX-512 and two workers, the same on every machine that runs the tests.
inline ir::Target avx512() {
  ir::Target target = ir::targetOf("skylake-avx512");
  target.processors = 2;
  target.cacheBytes = int64_t{2} << 20;
  return target;
}

/// A CPU without AVX-512, else the same.
inline ir::Target avx2() { return {ir::Backend::Cpu, "haswell", "+avx2,+f16c,+fma", 32, 2, int64_t{2} << 20}; }

}  // namespace tests
