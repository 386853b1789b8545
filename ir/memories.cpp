#include "ir/memories.h"

namespace ir {

size_t memoriesOf(const Graph& graph) { return graph.storages.size() + graph.values.size(); }

int memoryOf(const Graph& graph, int value) {
  const int storage = graph.values.at(static_cast<size_t>(value)).storage;
  return storage >= 0 ? storage : static_cast<int>(graph.storages.size()) + value;
}

int64_t startOf(const GraphValue& value) { return value.offset * sizeOf(value.type.dtype); }

int64_t bytesOf(const GraphValue& value) { return value.type.storageElements() * sizeOf(value.type.dtype); }

bool covers(const Graph& graph, int value) {
  const GraphValue& one = graph.values.at(static_cast<size_t>(value));
  return one.storage < 0 || (one.offset == 0 && graph.storages[static_cast<size_t>(one.storage)].bytes <= bytesOf(one));
}

}  // namespace ir
