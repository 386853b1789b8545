#pragma once

#include <c10/core/Allocator.h>
#include <cuda_runtime_api.h>

#include "codegen/program.h"
#include "runtime/executable.h"
#include "runtime/nvrtc.h"

namespace runtime {

/// A kernel loaded on the current device, with the workspace that its launches share: they are not to overlap.
class CubinExecutable : public Executable {
 public:
  /// Loads it at once, so that nothing is loaded or allocated while a graph is captured. Error: Toolchain.
  CubinExecutable(const codegen::Program& program, const DeviceCode& code);
  ~CubinExecutable() override;
  CubinExecutable(const CubinExecutable&) = delete;
  CubinExecutable& operator=(const CubinExecutable&) = delete;

  void launch(void* const* pointers) const override;

 private:
  void prepare();
  int64_t ctasAtOnce() const;
  void allocateWorkspace(int64_t bytes);

  std::string name_;
  ir::Launch launch_;
  int64_t ctas_;
  int sharedBytes_;
  bool waitsForGrid_;
  size_t parameters_;
  c10::DataPtr workspace_;
  cudaLibrary_t library_ = nullptr;
  cudaKernel_t kernel_ = nullptr;
};

}  // namespace runtime
