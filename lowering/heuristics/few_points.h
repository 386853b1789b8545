#pragma once

#include "ir/target.h"
#include "lowering/analysis/loop_nest.h"

namespace lowering {

/// The most elements of a vector, a power of two, that leaves all processors threads where loops compute functions that take
/// long, one element after another; no bound where they have none, or many points.
int mostLanes(const LoopNest& nest, const ir::Target& target);

}  // namespace lowering
