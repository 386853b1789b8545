#pragma once

#include <cstdint>
#include <optional>
#include <set>

#include "ir/graph.h"

namespace runtime {

/// Inputs of a region of which calls make indices, a row of a table for each eight numbers, say.
struct IndexSources {
  std::set<int> values;
  int64_t below = 1;  ///< a power of two, the largest: of integers from 0 to below it all indices exist
};

/// The inputs of which calls make indices by integers alone; nothing where there is none.
std::optional<IndexSources> indexSourcesOf(const ir::Graph& graph);

}  // namespace runtime
