#include "runtime/cuda/cubin.h"

#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAStream.h>

#include <algorithm>
#include <vector>

#include "runtime/cuda/check.h"

namespace runtime {

namespace {

constexpr int largestPortableCluster = 8;

}  // namespace

CubinExecutable::CubinExecutable(const codegen::Program& program, const DeviceCode& code)
    : name_(program.name),
      launch_(program.launch),
      ctas_(program.launch.grid * program.launch.cluster),
      sharedBytes_(program.dynamicSharedBytes),
      waitsForGrid_(program.waitsForGrid),
      parameters_(program.params.size()) {
  compileMs = code.compileMs;
  cached = code.cached;
  check(cudaLibraryLoadData(&library_, code.cubin.data(), nullptr, nullptr, 0, nullptr, nullptr, 0), "cudaLibraryLoadData");
  try {
    check(cudaLibraryGetKernel(&kernel_, library_, name_.c_str()), "cudaLibraryGetKernel");
    prepare();
    if (program.workspaceBytes > 0) allocateWorkspace(program.workspaceBytes);
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
  ir::require(attributes.maxThreadsPerBlock >= launch_.block, "the kernel {} takes {} threads, not {}", name_,
              attributes.maxThreadsPerBlock, launch_.block);
  if (sharedBytes_ > 0)
    check(cudaFuncSetAttribute(kernel_, cudaFuncAttributeMaxDynamicSharedMemorySize, sharedBytes_), "cudaFuncSetAttribute");
  if (launch_.team) {
    const int64_t most = ctasAtOnce();
    ir::require(most >= launch_.cluster, "the kernel {} needs {} CTAs at once; {} fit", name_, launch_.cluster, most);
    ctas_ = std::min(ctas_, most);
  } else if (launch_.cluster > largestPortableCluster) {
    // The kernel itself says how many CTAs are a cluster.
    check(cudaFuncSetAttribute(kernel_, cudaFuncAttributeNonPortableClusterSizeAllowed, 1), "cudaFuncSetAttribute");
  }
}

int64_t CubinExecutable::ctasAtOnce() const {
  int device = 0, processors = 0, resident = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device), "cudaDeviceGetAttribute");
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel_, launch_.block, static_cast<size_t>(sharedBytes_)),
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  return int64_t{resident} * processors;
}

void CubinExecutable::allocateWorkspace(int64_t bytes) {
  workspace_ = c10::cuda::CUDACachingAllocator::get()->allocate(static_cast<size_t>(bytes));
  const cudaStream_t stream = c10::cuda::getCurrentCUDAStream().stream();
  check(cudaMemsetAsync(workspace_.get(), 0, static_cast<size_t>(bytes), stream), "cudaMemsetAsync");
  check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
}

void CubinExecutable::launch(void* const* pointers) const {
  if (ctas_ == 0) return;
  std::vector<void*> arguments(parameters_);
  for (size_t i = 0; i < parameters_; ++i) arguments[i] = static_cast<void*>(const_cast<void**>(&pointers[i]));
  void* workspace = workspace_.get();
  if (workspace != nullptr) arguments.push_back(static_cast<void*>(&workspace));
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(ctas_));
  config.blockDim = dim3(static_cast<unsigned>(launch_.block));
  config.dynamicSmemBytes = static_cast<size_t>(sharedBytes_);
  config.stream = c10::cuda::getCurrentCUDAStream().stream();
  // A grid whose CTAs wait for one another starts when all of them can.
  cudaLaunchAttribute cooperative{};
  cooperative.id = cudaLaunchAttributeCooperative;
  cooperative.val.cooperative = 1;
  config.attrs = &cooperative;
  config.numAttrs = waitsForGrid_ ? 1 : 0;
  check(cudaLaunchKernelExC(&config, kernel_, arguments.data()), name_.c_str());
}

}  // namespace runtime
