#pragma once

#include <optional>

#include "ir/target.h"
#include "lowering/analysis/loop_nest.h"
#include "lowering/layout/schedule.h"

namespace lowering {

/// The schedule of a nest for a CPU, by rules that were measured on AVX-512 (docs/schedules.md). With `splits` so many tasks
/// share the elements of all columns, which are only summed.
TaskSchedule chooseTaskSchedule(const LoopNest& nest, const ir::Target& target, std::optional<int64_t> splits = {});

/// The same for columns whose elements other loops go through by rows, where so many tasks share them that each finds in its
/// cache what the rows have left there; nothing where there is no such number.
std::optional<TaskSchedule> chooseTasksAfter(const LoopNest& rows, const LoopNest& columns, const ir::Target& target);

}  // namespace lowering
