#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "lowering/partition/data_flow.h"

namespace lowering {

/// The most calls of a group; what a compiler does with pairs of loops is too slow for more.
inline constexpr size_t mostCalls = 64;

/// Calls of a graph that are carried out as one.
struct Group {
  std::vector<int> nodes;   ///< ascending
  bool isGenerated = true;  ///< whether kernels are to be generated; else it is one call
  std::string reason;       ///< why it was cut from the group before it, or is a call; empty where that was no choice
  ir::Graph graph;          ///< the calls to generate, and no others, under canonical names
  std::vector<int> values;  ///< of the whole graph, by value of the group's
};

/// Whether a call is to be generated; `call` is a graph of it alone, and `node` the one that it comes from.
using IsGenerated = std::function<bool(const ir::Graph& call, const ir::Node& node)>;

/// What limits groups.
struct GroupLimits {
  size_t most = mostCalls;   ///< calls
  bool isPhaseACut = false;  ///< whether no group has calls of two phases
};

/// All calls of a graph but views, in an order in which they can be carried out: groups of connected calls that are to be
/// generated, cut at all others, and these one by one. Calls are connected where one reads what another wrote. What is to be
/// generated and nobody reads is left out. Equal groups have equal graphs, and occur as often as the graph has them.
std::vector<Group> partition(const ir::Graph& graph, const DataFlow& flow, const IsGenerated& isGenerated,
                             const GroupLimits& limits = {});

/// Some calls of a graph, ascending, as a group that is to be generated. Error: Unsupported where they are no graph of their own.
Group groupOf(const ir::Graph& graph, const DataFlow& flow, std::vector<int> nodes);

}  // namespace lowering
