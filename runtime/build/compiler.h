#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "ir/kernel_source.h"
#include "ir/target.h"
#include "runtime/build/cache.h"

namespace runtime {

/// Compiles programs for a device into the cache, where processes that run on the device find them; it needs no device itself.
class Compiler {
 public:
  /// Errors: Toolchain, where the target's compiler is missing.
  explicit Compiler(const ir::Target& target);
  ~Compiler();

  struct Result {
    double ms = 0;        ///< wall time from text to code
    bool cached = false;  ///< whether it was in the cache before
  };
  /// Error: Toolchain, with what the compiler said.
  Result compile(const ir::KernelSource& program, const Cache& cache);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The order in which to compile programs, by their number: the longest text first, as it mostly takes longest to compile.
std::vector<std::size_t> longestFirst(const std::vector<ir::KernelSource>& programs);

/// Compiles programs into the cache on all processors at once; the milliseconds that took. Nothing is done, and 0 returned, where
/// there is no cache, or all of them are there. Error: Toolchain, with what the compiler said.
double compileAll(const std::vector<ir::KernelSource>& programs, const ir::Target& target, const Cache& cache);

}  // namespace runtime
