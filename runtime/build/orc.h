#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "ir/kernel_source.h"
#include "ir/target.h"
#include "runtime/build/cache.h"

namespace runtime {

/// A compiled CPU kernel (codegen::emitLlvm says its arguments).
using HostFunction = void (*)(void* const* params, int64_t begin, int64_t end);

struct HostCode {
  HostFunction function = nullptr;
  double compileMs = 0;
  bool cached = false;
  std::shared_ptr<void> keepAlive;  ///< the code's memory
};

/// LLVM's just-in-time compiler for this machine.
class Orc {
 public:
  Orc();
  ~Orc();
  /// The CPU this process runs on, with `threads` workers; one without AVX-512 where it is held to AVX2.
  static ir::Target host(int threads);
  /// Whether the variable ATEN_CPU_CAPABILITY holds ATen, and so opbench, to AVX2 on a CPU that has AVX-512.
  static bool isHeldToAvx2();
  /// LLVM's version, `19.1.7`.
  static std::string version();
  /// Compiles a program made for `host`, or loads its object from the cache.
  HostCode compile(const ir::KernelSource& program, const Cache& cache);
  /// The assembly (`.s`) a program compiles to, for dumps.
  std::string assembly(const ir::KernelSource& program);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace runtime
