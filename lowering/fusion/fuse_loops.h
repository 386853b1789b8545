#pragma once

#include <vector>

#include "ir/target.h"
#include "lowering/analysis/loop_nest.h"

namespace lowering {

/// The number of another loops' buffer in these, to which it is added where they do not know it.
int bufferIn(ir::Loops& loops, const ir::Buffer& buffer);

/// Loops of one graph that read the same elements as one, where the target's schedules then read them once: results that every
/// element has by itself join the reductions of rows of these elements.
std::vector<LoopNest> fuseLoops(std::vector<LoopNest> all, const ir::Target& target);

}  // namespace lowering
