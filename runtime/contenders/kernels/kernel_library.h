#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/build/nvrtc.h"
#include "runtime/contenders/kernels/fitted.h"
#include "runtime/executable.h"

namespace runtime {

/// The kernels of a file, loaded on a device. They share what the file declares outside of them.
class KernelLibrary {
 public:
  virtual ~KernelLibrary() = default;
  /// The bytes of each parameter of a launch's kernel. Error: Input where there is no such kernel.
  virtual std::vector<std::size_t> parameterBytes(const KernelLaunch& launch) const = 0;
  /// A launch, made ready. It takes 8 bytes for each argument: an address, or a number in the first of them. Errors: Input where
  /// there is no such kernel; Unsupported for more threads or shared memory than it can have.
  virtual ExecutablePtr ready(const KernelLaunch& launch) const = 0;
};

using KernelLibraryPtr = std::shared_ptr<const KernelLibrary>;

/// Compiles kernels of the user's, and loads them on a device.
class KernelLoader {
 public:
  virtual ~KernelLoader() = default;
  /// The machine code of a CUDA program, which may include CUDA's headers. Error: Toolchain, with NVRTC's log.
  virtual DeviceCode codeOf(const ir::KernelSource& program, const Cache& cache) = 0;
  /// The kernels of such code. Error: Input where the device refuses it.
  virtual KernelLibraryPtr load(const DeviceCode& code) = 0;
};

}  // namespace runtime
