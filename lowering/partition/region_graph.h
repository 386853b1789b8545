#pragma once

#include <vector>

#include "lowering/partition/data_flow.h"

namespace lowering {

/// A part of a graph as a graph of its own.
struct Region {
  ir::Graph graph;
  std::vector<int> values;  ///< of the whole graph, by value of the region's
};

/// Calls of a graph, in their order, as a graph of their own. What they read and do not make is its input; what they make or
/// write, and others read afterwards or the graph hands back, is its output. Views are part of it where they
/// show what its calls made; views of other memory are inputs with the strides they have. Names, roles and scopes are dropped, so
/// that equal calls give equal graphs. Without outputs where nobody reads anything. Error: Unsupported for memory that has no
/// value that covers it.
Region regionOf(const ir::Graph& graph, const DataFlow& flow, const std::vector<int>& calls);

}  // namespace lowering
