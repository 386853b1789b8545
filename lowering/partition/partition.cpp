#include "lowering/partition/partition.h"

#include "lowering/partition/data_flow.h"
#include "lowering/partition/groups.h"
#include "lowering/partition/region_graph.h"

namespace lowering {

std::vector<ir::Graph> partition(const ir::Graph& graph, const IsGenerated& isGenerated, size_t most) {
  const DataFlow flow(graph);
  const auto nodes = static_cast<int>(graph.nodes.size());
  std::vector<bool> joins(graph.nodes.size(), false);
  for (int node = 0; node < nodes; ++node)
    joins[static_cast<size_t>(node)] = !flow[node].isView && flow[node].mayBeMoved &&
                                       isGenerated(regionGraph(graph, flow, {node}), graph.nodes[static_cast<size_t>(node)]);
  std::vector<ir::Graph> regions;
  for (const std::vector<int>& calls : groupsOf(flow, nodes, [&](int node) { return joins[static_cast<size_t>(node)]; }, most)) {
    if (!joins[static_cast<size_t>(calls.front())]) continue;
    ir::Graph region = regionGraph(graph, flow, calls);
    if (!region.outputs.empty()) regions.push_back(std::move(region));
  }
  return regions;
}

}  // namespace lowering
