#pragma once

#include <c10/core/Allocator.h>
#include <cuda_runtime_api.h>

#include <string>
#include <string_view>

#include "ir/kernel_source.h"
#include "runtime/build/nvrtc.h"
#include "runtime/contenders/kernels/kernel_library.h"
#include "runtime/device.h"
#include "runtime/executable.h"
#include "runtime/residency.h"

namespace runtime {

/// A kernel loaded on the current device, with the workspace that its launches share: they are not to overlap.
class CubinExecutable : public Executable {
 public:
  /// Loads it at once, so that nothing is loaded or allocated while a graph is captured. Errors: Toolchain; Unsupported, where
  /// the device has no room for CTAs that work together.
  CubinExecutable(ir::KernelSource program, DeviceCode code);
  ~CubinExecutable() override;
  CubinExecutable(const CubinExecutable&) = delete;
  CubinExecutable& operator=(const CubinExecutable&) = delete;

  void launch(void* const* pointers) const override;
  /// How many clusters of so many of its CTAs the device runs at once; 0 also of a size that the device does not know. Allows the
  /// kernel clusters of that size, which a launch of large ones needs.
  int64_t activeClusters(int ctas) const;
  std::shared_ptr<const Executable> again() const override { return std::make_shared<CubinExecutable>(program_, code_); }

 private:
  void prepare();
  Residency residency() const;
  cudaLaunchConfig_t launchConfig(int64_t ctas) const;
  void allocateWorkspace(int64_t bytes);

  ir::KernelSource program_;
  DeviceCode code_;
  Start start_;
  c10::DataPtr workspace_;
  cudaLibrary_t library_ = nullptr;
  cudaKernel_t kernel_ = nullptr;
};

/// A kernel of one thread and one pointer that measuring needs and no operator: `name` in CUDA C++ `source`.
ExecutablePtr toolKernel(const std::string& name, std::string_view source, Device& device);

/// The kernels of a cubin of the user's, loaded on the current device. Error: Input where the device refuses it.
KernelLibraryPtr loadCubin(const std::string& cubin);

}  // namespace runtime
