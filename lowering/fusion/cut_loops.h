#pragma once

#include <vector>

#include "ir/target.h"
#include "lowering/analysis/loop_nest.h"

namespace lowering {

/// The loops of one graph, in which pointwise ones are cut to pieces where another of their tensors is read: along an axis that
/// alone decides what masks hide, at the points where one of these changes. A piece has no such mask. What all store to is a part
/// of a tensor in each (ir::Buffer::isPart). Loops whose pieces would be short, or that write what they read, stay whole.
/// Reductions are cut only where some pieces are then contiguous along rows and others along columns, or, on a GPU, where
/// pieces of other loops read the same tensors, and where whole rows are too wide for several in a CTA.
std::vector<LoopNest> cutLoops(std::vector<LoopNest> all, const ir::Target& target);

}  // namespace lowering
