#pragma once

#include <ATen/core/Tensor.h>

#include "codegen/plan.h"
#include "runtime/run_tensor.h"

namespace runtime {

/// The memory that the steps of a network's plan share, allocated as one. A GPU's is allocated by each run and given back after
/// it, so that the arena of a captured run lies in its graph's pool. A CPU's is kept for the next run, which so finds pages that
/// are there.
class Arena {
 public:
  Arena(codegen::Memory memory, at::Device device) : memory_(std::move(memory)), device_(device) {}

  bool has(int memory) const { return memory_.has(memory); }
  /// Before a run, and after it. A run that does not open it finds it closed.
  void open();
  void close();
  bool isOpen() const { return isOpen_; }
  /// The tensor at the place of a memory, which has a storage of its own there. The arena is open.
  at::Tensor tensor(int memory, const RunTensor& made) const;

 private:
  const codegen::Memory memory_;
  const at::Device device_;
  at::Tensor bytes_;
  bool isOpen_ = false;
};

}  // namespace runtime
