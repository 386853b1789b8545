#pragma once

#include <vector>

#include "ir/kernel.h"
#include "ir/target.h"
#include "lowering/analysis/loop_nest.h"
#include "lowering/layout/schedule.h"

namespace lowering {

/// The kernels of the loops of one graph, in an order in which they can run: one for each, or one for two loops of a mixed-order
/// reduction that have one schedule.
std::vector<ir::Kernel> applyAll(const LoopNests& nests, const ir::Target& target, const std::vector<Schedule>& schedules);

/// The same work in fewer launches: independent kernels share one (kernel/fuse_horizontally.h), whichever others run between
/// them. Kernels that wait for each other keep launches of their own: a grid barrier takes longer than the next launch.
std::vector<ir::Kernel> mergeLaunches(std::vector<ir::Kernel> kernels, const ir::Target& target);

/// The finished kernels: with indices of 32 bits on CUDA, where these hold all of them.
std::vector<ir::Kernel> narrowIndices(std::vector<ir::Kernel> kernels);

}  // namespace lowering
