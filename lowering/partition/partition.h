#pragma once

#include <functional>
#include <vector>

#include "ir/graph.h"

namespace lowering {

/// The most calls of a region; what a compiler does with pairs of loops is too slow for more.
inline constexpr size_t mostCalls = 64;

/// Whether a call is to be generated; `call` is a graph of it alone, and `node` the one that it comes from.
using IsGenerated = std::function<bool(const ir::Graph& call, const ir::Node& node)>;

/// The regions of a graph: connected calls that are to be generated, cut at all others, such that the regions and the other calls
/// can be carried out one after another. Calls are connected where one reads what another wrote. What nobody reads is left out.
/// Equal regions occur as often as the graph has them.
std::vector<ir::Graph> partition(const ir::Graph& graph, const IsGenerated& isGenerated, size_t most = mostCalls);

}  // namespace lowering
