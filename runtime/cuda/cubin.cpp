#include "runtime/cuda/cubin.h"

#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAStream.h>

#include <utility>
#include <vector>

#include "ir/target.h"
#include "runtime/cuda/check.h"

namespace runtime {

CubinExecutable::CubinExecutable(codegen::Program program, DeviceCode code)
    : program_(std::move(program)), code_(std::move(code)) {
  compileMs = code_.compileMs;
  cached = code_.cached;
  check(cudaLibraryLoadData(&library_, code_.cubin.data(), nullptr, nullptr, 0, nullptr, nullptr, 0), "cudaLibraryLoadData");
  try {
    check(cudaLibraryGetKernel(&kernel_, library_, program_.name.c_str()), "cudaLibraryGetKernel");
    prepare();
    if (program_.workspaceBytes > 0) allocateWorkspace(program_.workspaceBytes);
  } catch (...) {
    cudaLibraryUnload(library_);
    throw;
  }
}

CubinExecutable::~CubinExecutable() { cudaLibraryUnload(library_); }

void CubinExecutable::prepare() {
  // Asking for its attributes loads a kernel that the driver would otherwise load when it is first started.
  cudaFuncAttributes attributes{};
  check(cudaFuncGetAttributes(&attributes, kernel_), "cudaFuncGetAttributes");
  ir::require(attributes.maxThreadsPerBlock >= program_.launch.block, "the kernel {} takes {} threads, not {}", program_.name,
              attributes.maxThreadsPerBlock, program_.launch.block);
  if (program_.dynamicSharedBytes > 0)
    check(cudaFuncSetAttribute(kernel_, cudaFuncAttributeMaxDynamicSharedMemorySize, program_.dynamicSharedBytes),
          "cudaFuncSetAttribute");
  start_ = startOf(program_, residency());
}

Residency CubinExecutable::residency() const {
  Residency room;
  if (hasHardwareClusters(program_)) room.clusters = activeClusters(program_.launch.cluster);
  if (!waits(program_)) return room;
  int device = 0, processors = 0, isShared = 0, resident = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device), "cudaDeviceGetAttribute");
  check(cudaDeviceGetAttribute(&isShared, cudaDevAttrMpsEnabled, device), "cudaDeviceGetAttribute");
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel_, program_.launch.block,
                                                      static_cast<size_t>(program_.dynamicSharedBytes)),
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  room.ctas = int64_t{resident} * processors;
  room.isShared = isShared != 0;
  return room;
}

int64_t CubinExecutable::activeClusters(int ctas) const {
  if (ctas > ir::Target::portableClusterCtas)
    check(cudaFuncSetAttribute(kernel_, cudaFuncAttributeNonPortableClusterSizeAllowed, 1), "cudaFuncSetAttribute");
  cudaLaunchConfig_t config = launchConfig(ctas);
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = static_cast<unsigned>(ctas);
  cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
  config.attrs = &cluster;
  config.numAttrs = 1;
  int clusters = 0;
  const cudaError_t result = cudaOccupancyMaxActiveClusters(&clusters, kernel_, &config);
  if (result != cudaErrorInvalidClusterSize) check(result, "cudaOccupancyMaxActiveClusters");
  cudaGetLastError();  // a size that the device does not know has been answered
  return clusters;
}

cudaLaunchConfig_t CubinExecutable::launchConfig(int64_t ctas) const {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(ctas));
  config.blockDim = dim3(static_cast<unsigned>(program_.launch.block));
  config.dynamicSmemBytes = static_cast<size_t>(program_.dynamicSharedBytes);
  config.stream = c10::cuda::getCurrentCUDAStream().stream();
  return config;
}

void CubinExecutable::allocateWorkspace(int64_t bytes) {
  workspace_ = c10::cuda::CUDACachingAllocator::get()->allocate(static_cast<size_t>(bytes));
  const cudaStream_t stream = c10::cuda::getCurrentCUDAStream().stream();
  check(cudaMemsetAsync(workspace_.get(), 0, static_cast<size_t>(bytes), stream), "cudaMemsetAsync");
  check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
}

void CubinExecutable::launch(void* const* pointers) const {
  if (start_.ctas == 0) return;
  std::vector<void*> arguments(program_.params.size());
  for (size_t i = 0; i < program_.params.size(); ++i) arguments[i] = static_cast<void*>(const_cast<void**>(&pointers[i]));
  void* workspace = workspace_.get();
  if (workspace != nullptr) arguments.push_back(static_cast<void*>(&workspace));
  cudaLaunchConfig_t config = launchConfig(start_.ctas);
  // Persistent clusters have the device to themselves, mostly, and are sized to fit: a cooperative launch places their CTAs
  // otherwise, which costs up to 19 % (a batch norm of [8, 8, 512, 512] halves on an H200).
  cudaLaunchAttribute cooperative{};
  cooperative.id = cudaLaunchAttributeCooperative;
  cooperative.val.cooperative = 1;
  config.attrs = &cooperative;
  config.numAttrs = start_.isCooperative ? 1 : 0;
  check(cudaLaunchKernelExC(&config, kernel_, arguments.data()), program_.name.c_str());
}

}  // namespace runtime
