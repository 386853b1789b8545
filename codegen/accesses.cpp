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

}  // namespace codegen
