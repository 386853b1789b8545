#pragma once

#include "ir/target.h"
#include "lowering/analysis/loop_nest.h"
#include "lowering/layout/schedule.h"

namespace lowering {

/// `check` of a layout on a GPU.
void checkLayout(const LayoutSchedule& schedule, const LoopNest& nest, const ir::Target& target);

}  // namespace lowering
