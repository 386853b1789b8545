#pragma once

#include "ir/target.h"
#include "lowering/analysis/loop_nest.h"

namespace lowering {

/// The most elements of a vector, a power of two, that leaves all processors threads where loops compute slow functions, or load
/// lanes one by one: a thread takes its elements one after another. No bound where there are none, or many points.
int mostLanes(const LoopNest& nest, const ir::Target& target);

}  // namespace lowering
