#pragma once

#include <vector>

#include "ir/loops.h"
#include "ir/target.h"

namespace lowering {

/// Loops of one graph, in which large sums of columns whose tensors run both ways in memory are taken in two steps where this is
/// faster on the target: of parts of their elements, which tiles in shared memory hold (heuristics/staged.h), and then of these.
/// What the first step leaves are values numbered on from `first`, or from the largest number that the loops have.
std::vector<ir::Loops> splitReductions(const std::vector<ir::Loops>& all, std::size_t first, const ir::Target& target);

}  // namespace lowering
