#pragma once

#include <vector>

#include "ir/kernel.h"
#include "lowering/heuristics/schedule.h"

namespace lowering {

/// The schedules of the loops of one graph by the rules. Two loops that can share a launch have CTAs of one size; large ones
/// that read one matrix (analysis/mixed_order.h) have one schedule.
std::vector<Schedule> chooseSchedules(const LoopNests& nests, const ir::Target& target);

/// The kernels of the loops of one graph, in their order: one for each, or one for two loops of a mixed-order reduction that have
/// one schedule.
std::vector<ir::Kernel> applyAll(const LoopNests& nests, const ir::Target& target, const std::vector<Schedule>& schedules);

/// The same work in fewer launches, where a kernel can share the launch of the one before it (kernel/fuse_horizontally.h).
std::vector<ir::Kernel> mergeLaunches(const std::vector<ir::Kernel>& kernels);

/// The finished kernels: with indices of 32 bits on CUDA, where these hold all of them.
std::vector<ir::Kernel> narrowIndices(std::vector<ir::Kernel> kernels);

}  // namespace lowering
