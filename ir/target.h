#pragma once

#include <string>

#include "ir/kernel.h"

namespace ir {

/// The hardware a kernel is scheduled and compiled for; a plain value, read off the device by runtime/.
struct Target {
  Backend backend = Backend::Cpu;
  std::string arch;        ///< `sm_90`, or LLVM's cpu name (`sapphirerapids`)
  std::string features;    ///< CPU: LLVM's feature string (`+avx512f,...`); empty on CUDA
  int vectorBytes = 16;    ///< widest load and store: 16 on CUDA; 64 with AVX-512, 32 with AVX2, 16 otherwise
  int processors = 1;      ///< SMs, or worker threads
  int64_t cacheBytes = 0;  ///< L2: of the GPU, or of one core
};

}  // namespace ir
