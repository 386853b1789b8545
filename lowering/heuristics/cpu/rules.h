#pragma once

#include "lowering/heuristics/cpu/tasks.h"
#include "lowering/layout/alignment.h"
#include "lowering/layout/check_tasks.h"

namespace lowering {

/// The rules for each kind of nest (chooseTaskSchedule).
TaskSchedule choosePointwiseTasks(const LoopNest& nest, const ir::Target& target);
/// Nothing where no tensor crosses the first store, or rows or columns are short.
std::optional<TaskSchedule> chooseTransposedTasks(const LoopNest& nest, const ir::Target& target);
TaskSchedule chooseRowTasks(const LoopNest& nest, const ir::Target& target);
TaskSchedule chooseColumnTasks(const LoopNest& nest, const ir::Target& target, std::optional<int64_t> splits);
TaskSchedule chooseScanTasks(const LoopNest& nest, const ir::Target& target);

/// Whether a masked vector at the start of `count` elements along the inner dim aligns the others, which are not aligned without
/// it, and is worth it.
bool wantsHead(const IterationDomain& domain, ElementStores stores, int64_t count, int lanes, const ir::Target& target);

}  // namespace lowering
