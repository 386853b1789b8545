#pragma once

#include <cuda_runtime_api.h>

#include "codegen/program.h"
#include "runtime/executable.h"
#include "runtime/nvrtc.h"

namespace runtime {

/// A kernel loaded on the current device.
class CubinExecutable : public Executable {
 public:
  /// Loads it at once, so that nothing is loaded while a graph is captured. Error: Toolchain.
  CubinExecutable(const codegen::Program& program, const DeviceCode& code);
  ~CubinExecutable() override;
  CubinExecutable(const CubinExecutable&) = delete;
  CubinExecutable& operator=(const CubinExecutable&) = delete;

  void launch(void* const* pointers) const override;

 private:
  std::string name_;
  ir::Launch launch_;
  size_t parameters_;
  cudaLibrary_t library_ = nullptr;
  cudaKernel_t kernel_ = nullptr;
};

}  // namespace runtime
