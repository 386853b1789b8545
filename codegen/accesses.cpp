#include "codegen/accesses.h"

#include "lowering/partition/data_flow.h"

namespace codegen {

ir::Graph withIntermediates(const Plan& plan) {
  ir::Graph graph = plan.graph;
  graph.values.insert(graph.values.end(), plan.intermediates.begin(), plan.intermediates.end());
  return graph;
}

Access accessOf(const Step& step, const Plan& plan, const ir::Graph& graph) {
  Access access;
  if (const auto* launch = std::get_if<LaunchStep>(&step)) {
    const std::vector<ir::Param>& params = plan.programs.at(static_cast<size_t>(launch->program)).params;
    for (size_t i = 0; i < params.size(); ++i) {
      if (params[i].buffer.isWritten) access.writes.push_back(launch->values.at(i));
      if (params[i].buffer.isRead || !params[i].buffer.isWritten) access.reads.push_back(launch->values.at(i));
    }
    return access;
  }
  const ir::Node& node = graph.nodes.at(static_cast<size_t>(std::get<CallStep>(step).node));
  access.reads = lowering::valuesOf(node);
  access.writes = node.writes;
  access.writes.insert(access.writes.end(), node.outputs.begin(), node.outputs.end());
  return access;
}

size_t memoriesOf(const ir::Graph& graph) { return graph.storages.size() + graph.values.size(); }

int memoryOf(const ir::Graph& graph, int value) {
  const int storage = graph.values.at(static_cast<size_t>(value)).storage;
  return storage >= 0 ? storage : static_cast<int>(graph.storages.size()) + value;
}

int64_t startOf(const ir::GraphValue& value) { return value.offset * ir::sizeOf(value.type.dtype); }

int64_t bytesOf(const ir::GraphValue& value) { return value.type.storageElements() * ir::sizeOf(value.type.dtype); }

bool covers(const ir::Graph& graph, int value) {
  const ir::GraphValue& one = graph.values.at(static_cast<size_t>(value));
  return one.storage < 0 || (one.offset == 0 && graph.storages[static_cast<size_t>(one.storage)].bytes <= bytesOf(one));
}

}  // namespace codegen
