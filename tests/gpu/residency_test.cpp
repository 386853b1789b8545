// What the driver says of clusters is what the GPU does.
#include <doctest/doctest.h>

#include <fmt/format.h>

#include "ir/text/text.h"
#include "ir/verify/verify.h"
#include "tests/cuda_program.h"
#include "tests/gpu/gpu.h"

TEST_CASE("the largest cluster of CTAs with a multiprocessor each runs") {
  const ir::Target& target = tests::gpu().target();
  if (target.clusterCtas == 1) return;
  const int64_t shared = (target.ctaSharedBytes - 8192) / 4;  // beside what the combination takes
  const ir::Kernel kernel = ir::parseKernel(fmt::format(R"(kernel sum on cuda
  launch 1 clusters of {0} blocks of 1024 threads
  index32
  in  x f32[1024] align 16
  out y f32[{0}] align 16
  private r f32[1]
  shared s f32[{1}]
  for b in 1 grid
    for c in {0} cluster
      for i in 1024 thread
        lanes l in 1
          s[i] = x[i]
      for i in 1024 thread
        lanes l in 1
          r[0] = s[1023 - i]
    combine 1024 threads of {0} blocks: add r
    for c in {0} cluster
      for i in 1024 thread
        if i == 0
          lanes l in 1
            y[c] = r[0]
)",
                                                        target.clusterCtas, shared));
  ir::verify(kernel, target);
  std::vector<ir::Memory> memory{ir::Memory::zeros(ir::DType::F32, 1024), ir::Memory::zeros(ir::DType::F32, target.clusterCtas)};
  std::get<std::vector<double>>(memory[0].data).assign(1024, 1);
  tests::runOnGpu(tests::cudaProgram(kernel, target), memory);
  CHECK(std::get<std::vector<double>>(memory[1].data) == std::vector<double>(target.clusterCtas, 1024.0 * target.clusterCtas));
}

TEST_CASE("a whole GPU has the clusters that its architecture is known for") {
  const ir::Target& target = tests::gpu().target();
  for (const char* arch : {"sm_80", "sm_86", "sm_89", "sm_90", "sm_100"}) {
    const ir::Target known = ir::targetOf(arch);
    if (target.arch == known.arch && target.processors == known.processors) CHECK(target.clusterCtas == known.clusterCtas);
  }
}
