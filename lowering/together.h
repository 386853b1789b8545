#pragma once

#include <vector>

#include "ir/kernel.h"
#include "lowering/tiling.h"

namespace lowering {

/// The tilings of the loops of one graph by the rules: those of two loops that can share a launch have CTAs of one size.
std::vector<Tiling> chooseTilings(const std::vector<ir::Loops>& all, const ir::Target& target);

/// The same work in fewer launches, where two kernels can be one (beside.h).
std::vector<ir::Kernel> joined(std::vector<ir::Kernel> kernels);

}  // namespace lowering
