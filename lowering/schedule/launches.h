#pragma once

#include <vector>

#include "ir/kernel.h"
#include "lowering/heuristics/tiling.h"

namespace lowering {

/// The tilings of the loops of one graph by the rules. Two loops that can share a launch have CTAs of one size; large ones
/// that read one matrix (crossing.h) have one tiling.
std::vector<Tiling> chooseTilings(const std::vector<ir::Loops>& all, const ir::Target& target);

/// The kernels of the loops of one graph: one for two loops that cross in the same tiling, or that can lie side by side in a
/// launch (beside.h).
std::vector<ir::Kernel> scheduleAll(const std::vector<ir::Loops>& all, const ir::Target& target,
                                    const std::vector<Tiling>& tilings);

}  // namespace lowering
