#include <algorithm>

#include "ir/index/ceil_div.h"
#include "lowering/heuristics/cpu/rules.h"
#include "lowering/heuristics/cpu/traffic.h"
#include "lowering/heuristics/limits.h"

namespace lowering {

/// Squares of one register a row, of the widest tensor that crosses; a task has whole cache lines of all tensors.
std::optional<TaskSchedule> chooseTransposedTasks(const LoopNest& nest, const ir::Target& target) {
  if (!nest.transposition) return std::nullopt;
  const IterationDomain& domain = nest.transposition->domain;
  const int64_t along = domain.dims()[domain.elementDims() - 1].extent, across = domain.inner().extent;
  const int64_t shortest = std::min(along, across);
  int64_t widest = 0;
  for (const Access& load : domain.loads())
    if (crosses(domain, load)) widest = std::max(widest, load.elementBytes);
  if (widest == 0 || shortest < limits::cpu::shortestTransposed) return std::nullopt;
  TaskSchedule schedule;
  schedule.isTransposed = true;
  const int most = cpuLanes(nest.loops, domain, domain.elementDims() - 1, shortest, target);
  schedule.lanes = static_cast<int>(std::min<int64_t>(most, target.vectorBytes / widest));
  schedule.tile = std::min(ceilDiv(along, schedule.lanes), limits::cpu::transposedVectors);
  schedule.rows = schedule.lanes * std::min(ceilDiv(across, schedule.lanes), limits::cpu::transposedSquares);
  schedule.grain = cpuGrain(nest.loops, domain, schedule.tile * schedule.lanes * schedule.rows);
  return schedule;
}

}  // namespace lowering
