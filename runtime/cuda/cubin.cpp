#include "runtime/cuda/cubin.h"

#include <c10/cuda/CUDAStream.h>

#include <vector>

#include "runtime/cuda/check.h"

namespace runtime {

CubinExecutable::CubinExecutable(const codegen::Program& program, const DeviceCode& code)
    : name_(program.name), launch_(program.launch), parameters_(program.params.size()) {
  compileMs = code.compileMs;
  cached = code.cached;
  check(cudaLibraryLoadData(&library_, code.cubin.data(), nullptr, nullptr, 0, nullptr, nullptr, 0), "cudaLibraryLoadData");
  try {
    check(cudaLibraryGetKernel(&kernel_, library_, name_.c_str()), "cudaLibraryGetKernel");
    // Asking for its attributes loads a kernel that the driver would otherwise load when it is first started.
    cudaFuncAttributes attributes{};
    check(cudaFuncGetAttributes(&attributes, kernel_), "cudaFuncGetAttributes");
    ir::require(attributes.maxThreadsPerBlock >= launch_.block, "the kernel {} takes {} threads, not {}", name_,
                attributes.maxThreadsPerBlock, launch_.block);
  } catch (...) {
    cudaLibraryUnload(library_);
    throw;
  }
}

CubinExecutable::~CubinExecutable() { cudaLibraryUnload(library_); }

void CubinExecutable::launch(void* const* pointers) const {
  if (launch_.grid == 0) return;
  std::vector<void*> arguments(parameters_);
  for (size_t i = 0; i < parameters_; ++i) arguments[i] = static_cast<void*>(const_cast<void**>(&pointers[i]));
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(launch_.grid));
  config.blockDim = dim3(static_cast<unsigned>(launch_.block));
  config.stream = c10::cuda::getCurrentCUDAStream().stream();
  check(cudaLaunchKernelExC(&config, kernel_, arguments.data()), name_.c_str());
}

}  // namespace runtime
