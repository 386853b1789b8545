#pragma once

#include <cstdint>
#include <optional>
#include <set>

#include "ir/graph.h"

namespace runtime {

/// Inputs of a region that its calls turn into indices: by a division by eight, say, into rows of a table.
struct IndexSources {
  std::set<int> values;
  int64_t below = 1;  ///< a power of two, the largest: of integers from 0 to below it all indices exist
};

/// The inputs that calls turn into indices by way of integers alone; nothing where there is none.
std::optional<IndexSources> indexSourcesOf(const ir::Graph& graph);

}  // namespace runtime
