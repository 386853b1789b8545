#include "lowering/graph/unused.h"

#include <algorithm>
#include <utility>

#include "lowering/graph/renumber.h"
#include "lowering/partition/data_flow.h"

namespace lowering {

ir::Graph withoutUnused(ir::Graph graph, const std::function<bool(const ir::Node&)>& keeps) {
  std::vector<bool> isUsed(graph.values.size(), false), stays(graph.nodes.size(), false);
  for (const int output : graph.outputs) isUsed[static_cast<size_t>(output)] = true;
  for (size_t i = graph.nodes.size(); i-- > 0;) {
    const ir::Node& node = graph.nodes[i];
    const auto isRead = [&](int value) { return isUsed[static_cast<size_t>(value)]; };
    stays[i] = !node.writes.empty() || node.outputs.empty() || keeps(node) ||
               std::any_of(node.outputs.begin(), node.outputs.end(), isRead);
    if (!stays[i]) continue;
    for (const int value : valuesOf(node)) isUsed[static_cast<size_t>(value)] = true;
  }
  std::vector<int> places;
  std::vector<ir::Node> nodes;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    places.push_back(stays[i] ? static_cast<int>(nodes.size()) : -1);
    if (!stays[i]) continue;
    nodes.push_back(std::move(graph.nodes[i]));
  }
  renumberForward(nodes, places);
  graph.nodes = std::move(nodes);
  return ir::numbered(std::move(graph));
}

}  // namespace lowering
