#pragma once

#include <functional>
#include <map>
#include <vector>

#include "ir/graph.h"
#include "lowering/partition/data_flow.h"

namespace lowering {

/// Copies into the parts of an empty memory (`aten.new_empty`), one beside the other along a dimension, which are all of it.
/// Nobody reads or writes it before the last of them, nor writes what they copy.
struct Fill {
  int whole = -1;  ///< the value that the memory was made with
  size_t dim = 0;
  std::map<int64_t, int> sources;  ///< values, by where along the dimension they go
  std::vector<int> copies;         ///< nodes, ascending
};

/// The fills of a graph. Copies for which `keeps` is true are none of them.
std::vector<Fill> fillsOf(const ir::Graph& graph, const DataFlow& flow, const std::function<bool(const ir::Node&)>& keeps);

}  // namespace lowering
