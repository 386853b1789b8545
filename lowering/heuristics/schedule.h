#pragma once

#include <vector>

#include "ir/target.h"
#include "lowering/analysis/loop_nest.h"
#include "lowering/layout/schedule.h"

namespace lowering {

/// The schedule of loops for a target by the rules.
Schedule chooseSchedule(const LoopNest& nest, const ir::Target& target);
/// The schedules worth trying: `own` first, which may serve a launch that the loops share with others; then that of the rules,
/// those that rules choose where one of their choices is another one, and those that differ from `own` in one edit
/// (layout/edit.h). Which of them is the fastest only a measurement tells. Their texts differ.
std::vector<Schedule> candidates(const LoopNest& nest, const ir::Target& target, const Schedule& own);

}  // namespace lowering
