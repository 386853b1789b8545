#pragma once

#include "ir/target.h"
#include "lowering/analysis/loop_nest.h"
#include "lowering/layout/schedule.h"

namespace lowering {

/// `check` of a CPU's schedule.
void checkTasks(const TaskSchedule& schedule, const LoopNest& nest, const ir::Target& target);

/// Whether stores may bypass the caches: vectors of all elements are aligned.
bool canStream(const LoopNest& nest, const TaskSchedule& schedule, const ir::Target& target);
/// Whether nothing but reductions of the first traversal is asked for, whose elements tasks can share.
bool canSplit(const ReductionNest& nest);
/// Whether neighbours in memory are elements of one column.
bool runsAcross(const IterationDomain& domain, const Access& access);
/// Whether all elements of columns that are stored run through memory along these, unlike most of what is read.
bool canStoreAcross(const ReductionNest& nest, const IterationDomain& domain);

}  // namespace lowering
