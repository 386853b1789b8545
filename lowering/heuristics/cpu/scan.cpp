#include <algorithm>

#include "ir/index/ceil_div.h"
#include "lowering/heuristics/cpu/rules.h"
#include "lowering/heuristics/cpu/traffic.h"
#include "lowering/heuristics/limits.h"

namespace lowering {

/// A row, or a tile of columns. Blocks cost an operation an element, which is worth it where operations are cheap.
TaskSchedule chooseScanTasks(const LoopNest& all, const ir::Target& target) {
  const auto& [loops, reduction, domain, mixedOrder, transposition] = all;
  const ReductionNest& nest = *reduction;
  const std::size_t dim = domain.elementDims() - 1;
  const bool isColumns = !domain.runsAlongElements();
  const int64_t columns = isColumns ? domain.dims()[dim].extent : 1, outer = domain.numel(0, dim + 1) / columns;
  TaskSchedule schedule;
  if (isColumns) schedule.lanes = cpuLanes(loops, domain, dim, columns, target);
  const int64_t vectors = ceilDiv(columns, schedule.lanes);
  schedule.tile = std::clamp<int64_t>(outer * vectors / target.processors, 1, std::min(vectors, limits::cpu::scanTileVectors));
  schedule.unroll = static_cast<int>(schedule.tile);
  const bool isCheap = std::none_of(nest.reductions.begin(), nest.reductions.end(),
                                    [](const Reduction& scan) { return scan.op == ir::Op::LogAddExp; });
  if (isCheap) schedule.block = limits::cpu::scanBlock;
  schedule.grain = cpuGrain(loops, domain, std::min(columns, schedule.tile * schedule.lanes) * domain.inner().extent);
  return schedule;
}

}  // namespace lowering
