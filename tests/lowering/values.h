#pragma once

#include <map>
#include <vector>

#include "ir/interpret/interpret.h"
#include "ir/kernel.h"

namespace tests {

/// Memory of the values of a graph, each once, whichever loops or kernels have it.
using Values = std::map<int, ir::Memory>;

inline std::vector<ir::Buffer> buffersOf(const ir::Loops& loops) { return loops.buffers; }
inline std::vector<ir::Buffer> buffersOf(const ir::Kernel& kernel) {
  std::vector<ir::Buffer> buffers;
  for (const ir::Param& param : kernel.params) buffers.push_back(param.buffer);
  return buffers;
}

/// Carries out loops or a kernel on the values that its buffers stand for; values that are not there are zeros.
template <typename Stage>
void run(const Stage& stage, Values& values) {
  const std::vector<ir::Buffer> buffers = buffersOf(stage);
  std::vector<ir::Memory> memory;
  for (const ir::Buffer& buffer : buffers) {
    const auto zeros = ir::Memory::zeros(buffer.type.dtype, buffer.type.storageElements());
    memory.push_back(values.try_emplace(buffer.value, zeros).first->second);
  }
  ir::interpret(stage, memory);
  for (std::size_t i = 0; i < buffers.size(); ++i) values.at(buffers[i].value) = memory[i];
}

}  // namespace tests
