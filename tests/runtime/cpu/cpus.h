#pragma once

#include <vector>

#include "runtime/build/orc.h"

namespace tests {

/// The CPU at hand with so many workers and, where it has AVX-512, the same held to AVX2: it runs the machine code of both. On a
/// CPU without AVX-512 its machine code is not run by any test.
inline std::vector<ir::Target> cpusAtHand(int threads = 1) {
  std::vector<ir::Target> cpus{runtime::Orc::host(threads)};
  if (cpus[0].vectorBytes == 64) {
    cpus.push_back(ir::targetOf("haswell"));
    cpus[1].processors = cpus[0].processors;
    cpus[1].cacheBytes = cpus[0].cacheBytes;
  }
  return cpus;
}

}  // namespace tests
