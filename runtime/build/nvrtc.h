#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "ir/kernel_source.h"
#include "runtime/build/cache.h"

namespace runtime {

/// Machine code for a GPU.
struct DeviceCode {
  std::string cubin;
  double compileMs = 0;  ///< wall time from text to cubin
  bool cached = false;
};

/// A kernel that measuring and checking need and no operator: `name` in CUDA C++ `source`, with so many parameters of 8 bytes.
ir::KernelSource toolProgram(const std::string& name, std::string_view source, const std::string& arch, int parameters = 1);

/// NVIDIA's run-time compiler, a library opened by name; it needs no GPU. Several threads may compile at a time.
class Nvrtc {
 public:
  /// Opens libnvrtc.so.13, as the loader finds it or from beside torch. Error: Toolchain, with what the loader said.
  Nvrtc();
  ~Nvrtc();

  std::string version() const;  ///< `13.0`
  std::string path() const;     ///< of the library
  /// The folder of CUDA's headers (cuda_fp16.h) that came with the library, or that CUDA_HOME has; empty where there is none.
  std::string headers() const;
  /// Compiles a CUDA program for its `arch`, or takes the cubin from the cache. Error: Toolchain, with NVRTC's log.
  DeviceCode compile(const ir::KernelSource& program, const Cache& cache) const;
  /// The PTX a program compiles to, for dumps.
  std::string ptx(const ir::KernelSource& program) const;

 private:
  struct Library;
  std::unique_ptr<Library> library_;
};

}  // namespace runtime
