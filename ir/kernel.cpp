#include "ir/kernel.h"

#include <algorithm>

namespace ir {

int64_t Param::readableElements(Backend backend) const {
  const int64_t elements = buffer.type.storageElements();
  if (backend == Backend::Cpu) return elements;
  const int64_t granule = std::max<int64_t>(1, std::min(alignment, cudaAlignment) / sizeOf(buffer.type.dtype));
  return (elements + granule - 1) / granule * granule;
}

bool isGridLoop(const Statement& statement) {
  const auto* loop = std::get_if<For>(&statement.node);
  return loop != nullptr && loop->kind == LoopKind::Grid;
}

bool waitsForGrid(const Kernel& kernel) { return std::count_if(kernel.body.begin(), kernel.body.end(), isGridLoop) > 1; }

}  // namespace ir
