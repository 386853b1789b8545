#pragma once

#include <vector>

#include "ir/target.h"
#include "lowering/analysis/loop_nest.h"
#include "lowering/layout/schedule.h"

namespace lowering {

/// Whether a nest can have a schedule on a target. Error: Input, with the first reason why not.
void check(const Schedule& schedule, const LoopNest& nest, const ir::Target& target);
/// The same of the nests of one graph, two of which may reduce one matrix in one persistent kernel.
void check(const std::vector<Schedule>& schedules, const LoopNests& nests, const ir::Target& target);
/// The same as an answer.
bool isPossible(const Schedule& schedule, const LoopNest& nest, const ir::Target& target);

}  // namespace lowering
