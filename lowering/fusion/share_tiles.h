#pragma once

#include <vector>

#include "ir/target.h"
#include "lowering/analysis/loop_nest.h"

namespace lowering {

/// The loops of one graph, in which large sums share the tiles of a transposition that reads the same: each tile leaves what it
/// comes to, and other loops add these. Partial sums are values numbered on from `first`, or from the largest number that the
/// loops have.
std::vector<LoopNest> shareTiles(std::vector<LoopNest> all, std::size_t first, const ir::Target& target);

}  // namespace lowering
