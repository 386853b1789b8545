#pragma once

#include <vector>

#include "ir/target.h"
#include "lowering/analysis/loop_nest.h"

namespace lowering {

/// The loops of one call, or of a graph, as fewer: loops of one iteration domain become one, pair by pair, the pair that saves
/// most memory traffic first. A pair stays apart where loops have to run between them, and where no schedule of the target reads
/// once what both need. Values from `firstIntermediate` on are intermediates: what only one loops needs is no longer stored, and
/// the others are numbered anew.
std::vector<LoopNest> fuseLoops(std::vector<LoopNest> all, std::size_t firstIntermediate, const ir::Target& target);
/// The same of loops that were cut (cutLoops): pieces that read the same become one, and have the reductions whose results they
/// read; all else stays as it is.
std::vector<LoopNest> fusePieces(std::vector<LoopNest> all, std::size_t firstIntermediate, const ir::Target& target);

}  // namespace lowering
