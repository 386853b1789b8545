#pragma once

#include <string>
#include <string_view>

#include "ir/kernel.h"

namespace ir {

/// What releases of ATen compute differently. Lowerings follow the one at hand, which runtime/ knows (runtime/torch/release.h).
struct AtenRules {
  bool clampIgnoresNaN = true;  ///< `clamp` ignores NaN where it is the only bound
  bool operator==(const AtenRules&) const = default;
};

/// The hardware a kernel is scheduled and compiled for; a plain value, read off the device by runtime/ or known from an
/// architecture (`targetOf`). A multiprocessor is an SM, and memory is in bytes.
struct Target {
  // What all GPUs have alike.
  static constexpr int warp = 32;                         ///< threads that run and shuffle together
  static constexpr int ctaThreads = 1024;                 ///< largest CTA
  static constexpr int schedulers = 4;                    ///< of a multiprocessor: each has as many of its registers
  static constexpr int registerUnit = 8;                  ///< a thread gets multiples of so many registers
  static constexpr int64_t staticSharedBytes = 48 << 10;  ///< of a CTA, as far as its launch does not ask for more
  static constexpr int64_t lineBytes = 128;               ///< a line of the L2 cache
  static constexpr int64_t sectorBytes = 32;              ///< the part of a line that is read at least
  static constexpr int portableClusterCtas = 8;           ///< largest cluster where there are clusters; larger ones are asked for

  Backend backend = Backend::Cpu;
  std::string arch;        ///< `sm_90`, or LLVM's cpu name (`sapphirerapids`)
  std::string features;    ///< CPU: LLVM's feature string (`+avx512f,...`); empty on CUDA
  int vectorBytes = 16;    ///< widest load and store: 16 on CUDA; 64 with AVX-512, 32 with AVX2, 16 otherwise
  int processors = 1;      ///< multiprocessors, or worker threads
  int64_t cacheBytes = 0;  ///< L2: of the GPU, or of one core
  // CUDA; on a CPU as they are here.
  int clusterCtas = 1;               ///< largest cluster; 1 where there are none
  int processorThreads = 0;          ///< threads that a multiprocessor has at once
  int processorRegisters = 0;        ///< of 32 bits, of a multiprocessor
  int64_t processorSharedBytes = 0;  ///< shared memory of a multiprocessor
  int64_t ctaSharedBytes = 0;        ///< shared memory of a CTA, at most
  // CPU.
  int64_t streamedBytes = 0;  ///< of all tensors of a call, beyond which stores bypass the caches; 0 where it was not measured

  AtenRules aten = {};  ///< of the ATen whose results kernels are to have

  /// What the addresses of a kernel's parameters are multiples of: tensors of ATen's on a CPU, the widest access on CUDA.
  int parameterBytes() const { return backend == Backend::Cpu ? 64 : vectorBytes; }
  /// Bytes of neighbouring f32 sums that a thread may add to at once, atomically: a vector's from sm_90 on.
  int64_t atomicBytes() const;

  bool operator==(const Target&) const = default;
};

/// The target that an architecture stands for where no device is at hand: its largest GPU (`sm_80`, `sm_86`, `sm_89`, `sm_90`,
/// `sm_100`), or one core of a CPU (`skylake-avx512`, `haswell`). Errors: Input, for an architecture that is not among these.
Target targetOf(std::string_view arch);

/// The largest cluster of a GPU's architecture that has clusters: the portable one where the architecture is not known.
int largestCluster(std::string_view arch);

}  // namespace ir
