#pragma once

#include <utility>
#include <vector>

#include "ir/target.h"
#include "lowering/analysis/loop_nest.h"
#include "lowering/heuristics/split.h"

namespace lowering {

/// A number from which on no value of a graph is, nor of its loops: at least `first`.
int freeValue(const std::vector<LoopNest>& all, std::size_t first);

/// Sums as two loops: the first leaves partial sums, which are values numbered on from `firstValue`, the second adds them.
std::pair<ir::Loops, ir::Loops> splitInTwo(const ir::Loops& loops, ReductionSplit split, int firstValue);

/// The loops of one graph, in which sums that are faster in two stages (heuristics/split.h) are two loops: the first leaves
/// partial sums, the second adds them. Partial sums are values numbered on from `first`, or from the largest number that the
/// loops have.
std::vector<LoopNest> splitReductions(std::vector<LoopNest> all, std::size_t first, const ir::Target& target);

}  // namespace lowering
