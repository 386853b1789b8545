#include "lowering/partition/partition.h"

#include "ir/error.h"
#include "lowering/partition/groups.h"
#include "lowering/partition/region_graph.h"

namespace lowering {
namespace {

/// Whether `test` is true of calls as a group; not where they are no graph of their own.
template <typename Test>
bool isTrueOfGroup(const Test& test) {
  try {
    return test();
  } catch (const ir::Error& error) {
    if (error.kind() != ir::ErrorKind::Unsupported) throw;
    return false;
  }
}

}  // namespace

Group groupOf(const ir::Graph& graph, const DataFlow& flow, std::vector<int> nodes) {
  Region region = regionOf(graph, flow, nodes);
  return {std::move(nodes), true, "", std::move(region.graph), std::move(region.values)};
}

std::vector<Group> partition(const ir::Graph& graph, const DataFlow& flow, const IsGenerated& isGenerated,
                             const GroupLimits& limits) {
  const auto nodes = static_cast<int>(graph.nodes.size());
  const auto nodeOf = [&](int node) -> const ir::Node& { return graph.nodes[static_cast<size_t>(node)]; };
  std::vector<bool> joins(graph.nodes.size(), false);
  for (int node = 0; node < nodes; ++node) {
    if (flow[node].isView || !flow[node].mayBeMoved) continue;
    joins[static_cast<size_t>(node)] =
        isTrueOfGroup([&] { return isGenerated(regionOf(graph, flow, {node}).graph, nodeOf(node)); });
  }
  const auto mayJoin = [&](int node, int maker) {
    const bool areInOnePhase = nodeOf(node).scope.phase == nodeOf(maker).scope.phase;
    return joins[static_cast<size_t>(node)] && joins[static_cast<size_t>(maker)] && (areInOnePhase || !limits.isPhaseACut);
  };
  std::vector<Group> groups;
  for (std::vector<int>& calls : groupsOf(flow, nodes, mayJoin, limits.most)) {
    if (!joins[static_cast<size_t>(calls.front())]) {
      groups.push_back({std::move(calls), false, "", {}, {}});
      continue;
    }
    Group group;
    if (isTrueOfGroup([&] { return group = groupOf(graph, flow, calls), true; })) {
      if (!group.graph.outputs.empty()) groups.push_back(std::move(group));
    } else {
      for (const int call : calls) groups.push_back({{call}, false, "", {}, {}});
    }
  }
  return groups;
}

}  // namespace lowering
