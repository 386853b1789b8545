#pragma once

#include <vector>

#include "ir/target.h"
#include "lowering/analysis/loop_nest.h"

namespace lowering {

/// The loops of one graph, in which sums that are faster in two stages (heuristics/split.h) are two loops: the first leaves
/// partial sums, the second adds them. Partial sums are values numbered on from `first`, or from the largest number that the
/// loops have.
std::vector<LoopNest> splitReductions(std::vector<LoopNest> all, std::size_t first, const ir::Target& target);

}  // namespace lowering
