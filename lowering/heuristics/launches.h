#pragma once

#include <vector>

#include "ir/target.h"
#include "lowering/analysis/loop_nest.h"
#include "lowering/layout/schedule.h"

namespace lowering {

/// The schedules of the loops of one graph by the rules. Loops that can share a launch have CTAs of one size; pairs that read one
/// large matrix (analysis/mixed_order.h) have one schedule.
std::vector<Schedule> chooseSchedules(const LoopNests& nests, const ir::Target& target);

}  // namespace lowering
