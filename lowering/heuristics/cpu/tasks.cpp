#include "lowering/heuristics/cpu/tasks.h"

#include <algorithm>

#include "ir/index/ceil_div.h"
#include "lowering/heuristics/cpu/rules.h"
#include "lowering/heuristics/cpu/traffic.h"
#include "lowering/heuristics/limits.h"
#include "lowering/layout/alignment.h"

namespace lowering {

TaskSchedule chooseTaskSchedule(const LoopNest& nest, const ir::Target& target, std::optional<int64_t> splits) {
  const std::optional<TaskSchedule> transposed = chooseTransposedTasks(nest, target);
  TaskSchedule schedule = transposed                        ? *transposed
                          : !nest.reduction                 ? choosePointwiseTasks(nest, target)
                          : nest.hasScans()                 ? chooseScanTasks(nest, target)
                          : nest.domain.runsAlongElements() ? chooseRowTasks(nest, target)
                                                            : chooseColumnTasks(nest, target, splits);
  schedule.streams = canStream(nest, schedule, target) && exceedsCaches(nest.loops, target);
  return schedule;
}

bool wantsHead(const IterationDomain& domain, ElementStores stores, int64_t count, int lanes, const ir::Target& target) {
  return !areAligned(domain, stores, domain.innermost(), lanes, target) && target.vectorBytes >= limits::cpu::maskedVectorBytes &&
         hasRoomForHead(stores, count, lanes, target) && canHaveHead(domain, stores, lanes, target);
}

std::optional<TaskSchedule> chooseTasksAfter(const LoopNest& rows, const LoopNest& columns, const ir::Target& target) {
  const auto& sums = columns.reduction;
  if (!sums || !rows.reduction || !sums->isReadOnce() || rows.reduction->elementStores.empty()) return std::nullopt;
  const IterationDomain &across = columns.domain, &along = rows.domain;
  if (across.runsAlongElements() || !along.runsAlongElements()) return std::nullopt;
  const int64_t bytes = sharedBytes(columns.loops, rows.loops);
  const int64_t elements = across.numel(across.elementDims(), across.dims().size());
  const int64_t most = std::min(elements, along.numel(0, along.elementDims())) / limits::cpu::mixedElements;
  const int64_t wanted = ceilDiv(bytes, limits::cpu::mixedCache.of(target.cacheBytes) * target.processors) * target.processors;
  const int64_t splits = std::min(wanted, most / target.processors * target.processors);
  return splits > 0 ? std::optional(chooseTaskSchedule(columns, target, splits)) : std::nullopt;
}

}  // namespace lowering
