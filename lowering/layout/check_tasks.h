#pragma once

#include "ir/target.h"
#include "lowering/analysis/loop_nest.h"
#include "lowering/layout/schedule.h"

namespace lowering {

constexpr int64_t mostHeldBytes = 256 << 10;  ///< of an array that a task may hold on its stack

/// `check` of a CPU's schedule.
void checkTasks(const TaskSchedule& schedule, const LoopNest& nest, const ir::Target& target);

/// Of loops without reductions: whether no two tasks accumulate in one element.
bool areTasksApart(const IterationDomain& domain, const TaskSchedule& schedule);
/// Whether stores may bypass the caches: vectors of all elements are aligned.
bool canStream(const LoopNest& nest, const TaskSchedule& schedule, const ir::Target& target);
/// Whether neighbours in memory are elements of one column.
bool runsAcross(const IterationDomain& domain, const Access& access);
/// Whether all elements of columns that are stored run through memory along these, unlike most loads.
bool canStoreAcross(const ReductionNest& nest, const IterationDomain& domain);

}  // namespace lowering
