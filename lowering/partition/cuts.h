#pragma once

#include <vector>

#include "lowering/partition/data_flow.h"

namespace lowering {

/// Calls in two parts, each ascending; no call of the first waits for one of the second.
struct Cut {
  std::vector<int> first, second;
};

/// Ways to cut calls of a graph in two, each once, those across which fewest bytes go first: what a call and all that it waits
/// for make, what waits for it, what comes before it, and what has few elements, such as sines that each head reads anew. Of cuts
/// with as many bytes the most even one comes first.
std::vector<Cut> cutsOf(const ir::Graph& graph, const DataFlow& flow, const std::vector<int>& calls);

}  // namespace lowering
