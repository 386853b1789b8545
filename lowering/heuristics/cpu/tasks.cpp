#include "lowering/heuristics/cpu/tasks.h"

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

}  // namespace lowering
