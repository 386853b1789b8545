#include "runtime/cuda/clusters.h"

#include "runtime/cuda/cubin.h"
#include "runtime/residency.h"

namespace runtime {

int largestActiveCluster(const ir::Target& target, const Nvrtc& nvrtc) {
  if (target.clusterCtas == 1) return 1;
  ir::KernelSource program;
  program.name = "fill_multiprocessor";
  program.backend = ir::Backend::Cuda;
  program.source = "extern \"C\" __global__ void fill_multiprocessor() {}\n";
  program.options = {"--minimal"};
  program.arch = target.arch;
  program.launch.block = ir::Target::ctaThreads;
  program.dynamicSharedBytes = static_cast<int>(target.ctaSharedBytes);
  const CubinExecutable kernel(program, nvrtc.compile(program, Cache()));
  return largestActiveCluster(target, [&](int ctas) { return kernel.activeClusters(ctas); });
}

}  // namespace runtime
