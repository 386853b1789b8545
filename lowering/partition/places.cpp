#include "lowering/partition/places.h"

#include <fmt/format.h>

namespace lowering {

std::optional<ir::Graph> withPlaces(const Group& group, const ir::Graph& graph, int alignment) {
  ir::Graph placed = group.graph;
  for (const int input : placed.inputs) {
    ir::GraphValue& value = placed.values[static_cast<size_t>(input)];
    const int64_t size = ir::sizeOf(value.type.dtype);
    const int64_t start = graph.values[static_cast<size_t>(group.values[static_cast<size_t>(input)])].offset * size;
    const int64_t multiple = start & -start;
    if (start == 0 || multiple >= alignment) continue;
    if (value.storage >= 0) return std::nullopt;
    value.storage = static_cast<int>(placed.storages.size());
    value.offset = multiple / size;
    placed.storages.push_back({fmt::format("memory_of_{}", value.name), multiple + value.type.storageElements() * size});
  }
  return placed;
}

}  // namespace lowering
