#pragma once

#include "ir/target.h"
#include "lowering/analysis/loop_nest.h"
#include "lowering/layout/schedule.h"

namespace lowering {

/// `check` of a layout on a GPU. `matrix` is what a persistent kernel would reduce; null where there is none.
void checkLayout(const LayoutSchedule& schedule, const LoopNest& nest, const MixedOrderReduction* matrix,
                 const ir::Target& target);

}  // namespace lowering
