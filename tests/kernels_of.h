#pragma once

#include <vector>

#include "lowering/heuristics/launches.h"
#include "lowering/layout/edit.h"
#include "lowering/schedule/launches.h"

namespace tests {

/// The loops of a graph with all facts about them.
inline lowering::LoopNests nestsOf(const std::vector<ir::Loops>& all, const ir::Target& target) {
  return lowering::analyzeJointly(lowering::analyze(all, target), target);
}

/// The schedule of a matrix for each of the loops that reduce it, along whichever of its dims.
inline std::vector<lowering::Schedule> matrixSchedules(const lowering::LoopNests& nests,
                                                       const lowering::LayoutSchedule& schedule) {
  std::vector<lowering::Schedule> schedules;
  for (const lowering::LoopNest& nest : nests.all) schedules.emplace_back(lowering::inDims(schedule, nest.domain));
  return schedules;
}

/// The kernels of a graph's loops, scheduled by the rules.
inline std::vector<ir::Kernel> kernelsOf(const lowering::LoopNests& nests, const ir::Target& target) {
  const std::vector<ir::Kernel> kernels = lowering::applyAll(nests, target, lowering::chooseSchedules(nests, target));
  return lowering::narrowIndices(lowering::mergeLaunches(kernels, target));
}
inline std::vector<ir::Kernel> kernelsOf(const std::vector<ir::Loops>& all, const ir::Target& target) {
  return kernelsOf(nestsOf(all, target), target);
}

}  // namespace tests
