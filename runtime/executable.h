#pragma once

#include <memory>

namespace runtime {

/// Compiled code of one KernelSource, ready to be started.
class Executable {
 public:
  virtual ~Executable() = default;
  /// Starts it on the device's current stream (CUDA), or runs it to the end (CPU); one pointer a parameter, aligned as
  /// the program says.
  virtual void launch(void* const* pointers) const = 0;

  /// The executable loaded once more, at another address, on devices where code is loaded; null elsewhere.
  virtual std::shared_ptr<const Executable> again() const { return nullptr; }

  double compileMs = 0;  ///< wall time from text to code that can be started
  bool cached = false;   ///< whether the code came from the cache
};

using ExecutablePtr = std::shared_ptr<const Executable>;

}  // namespace runtime
