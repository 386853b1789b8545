#include "runtime/cuda/cubin.h"

#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAStream.h>

#include <utility>
#include <vector>

#include "ir/target.h"
#include "runtime/cuda/check.h"

namespace runtime {

CubinExecutable::CubinExecutable(ir::KernelSource program, DeviceCode code)
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
  std::vector<void*> arguments(program_.takesList ? 1 : program_.params.size());
  for (size_t i = 0; i < arguments.size(); ++i) arguments[i] = static_cast<void*>(const_cast<void**>(&pointers[i]));
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

ExecutablePtr toolKernel(const std::string& name, std::string_view source, Device& device) {
  return device.compile(toolProgram(name, source, device.target().arch), Cache());
}

namespace {

/// Code of the user's on the current device, for as long as any launch of its kernels lives.
class LoadedCubin {
 public:
  explicit LoadedCubin(const std::string& cubin) : cubin_(cubin) {
    const cudaError_t result = cudaLibraryLoadData(&library_, cubin_.data(), nullptr, nullptr, 0, nullptr, nullptr, 0);
    cudaGetLastError();
    if (result != cudaSuccess)
      ir::fail(ir::ErrorKind::Input, "the device does not load this code: {}", cudaGetErrorString(result));
  }
  ~LoadedCubin() { cudaLibraryUnload(library_); }
  LoadedCubin(const LoadedCubin&) = delete;
  LoadedCubin& operator=(const LoadedCubin&) = delete;

  cudaKernel_t kernel(const KernelLaunch& launch) const {
    cudaKernel_t kernel = nullptr;
    const cudaError_t result = cudaLibraryGetKernel(&kernel, library_, launch.kernel.c_str());
    cudaGetLastError();
    if (result != cudaSuccess)
      ir::fail(ir::ErrorKind::Input, "{}: there is no kernel '{}' (one is declared extern \"C\" __global__)",
               toText(launch.place), launch.kernel);
    return kernel;
  }

 private:
  const std::string cubin_;
  cudaLibrary_t library_ = nullptr;
};

dim3 dim3Of(const std::array<unsigned, 3>& extents) { return {extents[0], extents[1], extents[2]}; }

/// A launch of a kernel of the user's. A grid without CTAs is not launched.
class LaunchExecutable : public Executable {
 public:
  LaunchExecutable(std::shared_ptr<const LoadedCubin> code, const KernelLaunch& launch)
      : code_(std::move(code)), launch_(launch), kernel_(code_->kernel(launch)) {
    cudaFuncAttributes attributes{};
    check(cudaFuncGetAttributes(&attributes, kernel_), "cudaFuncGetAttributes");
    const auto [x, y, z] = launch.block;
    if (const uint64_t threads = uint64_t{x} * y * z; threads > static_cast<uint64_t>(attributes.maxThreadsPerBlock))
      ir::fail(ir::ErrorKind::Unsupported, "{}: {} has at most {} threads in a block, not {}", toText(launch.place),
               launch.kernel, attributes.maxThreadsPerBlock, threads);
    allowShared(static_cast<int64_t>(attributes.sharedSizeBytes));
  }

  void launch(void* const* slots) const override {
    const dim3 grid = dim3Of(launch_.grid);
    if (grid.x == 0 || grid.y == 0 || grid.z == 0) return;
    std::vector<void*> arguments;
    for (size_t i = 0; i < launch_.arguments.size(); ++i) arguments.push_back(static_cast<void*>(const_cast<void**>(&slots[i])));
    cudaLaunchConfig_t config{};
    config.gridDim = grid;
    config.blockDim = dim3Of(launch_.block);
    config.dynamicSmemBytes = static_cast<size_t>(launch_.dynamicSharedBytes);
    config.stream = c10::cuda::getCurrentCUDAStream().stream();
    check(cudaLaunchKernelExC(&config, kernel_, arguments.data()), launch_.kernel.c_str());
  }

 private:
  void allowShared(int64_t declared) const {
    int device = 0, most = 0;
    check(cudaGetDevice(&device), "cudaGetDevice");
    check(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device), "cudaDeviceGetAttribute");
    if (declared + launch_.dynamicSharedBytes > most)
      ir::fail(ir::ErrorKind::Unsupported, "{}: {} has at most {} bytes of shared memory in a block, not {}",
               toText(launch_.place), launch_.kernel, most, declared + launch_.dynamicSharedBytes);
    if (launch_.dynamicSharedBytes > 0)
      check(cudaFuncSetAttribute(kernel_, cudaFuncAttributeMaxDynamicSharedMemorySize, launch_.dynamicSharedBytes),
            "cudaFuncSetAttribute");
  }

  const std::shared_ptr<const LoadedCubin> code_;
  const KernelLaunch launch_;
  cudaKernel_t kernel_;
};

class CubinLibrary : public KernelLibrary {
 public:
  explicit CubinLibrary(const std::string& cubin) : code_(std::make_shared<LoadedCubin>(cubin)) {}

  std::vector<size_t> parameterBytes(const KernelLaunch& launch) const override {
    const cudaKernel_t kernel = code_->kernel(launch);
    std::vector<size_t> sizes;
    size_t offset = 0, size = 0;
    while (cudaFuncGetParamInfo(kernel, sizes.size(), &offset, &size) == cudaSuccess) sizes.push_back(size);
    cudaGetLastError();  // that there are no more
    return sizes;
  }
  ExecutablePtr ready(const KernelLaunch& launch) const override { return std::make_shared<LaunchExecutable>(code_, launch); }

 private:
  std::shared_ptr<const LoadedCubin> code_;
};

}  // namespace

KernelLibraryPtr loadCubin(const std::string& cubin) { return std::make_shared<CubinLibrary>(cubin); }

}  // namespace runtime
