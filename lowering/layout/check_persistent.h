#pragma once

#include "ir/target.h"
#include "lowering/analysis/loop_nest.h"
#include "lowering/layout/schedule.h"

namespace lowering {

/// What `check` asks of a persistent kernel's layout beside what it asks of any other one. `matrix` is what the kernel reduces,
/// for the nest and perhaps another one; null where there is none.
void checkPersistent(const LayoutSchedule& schedule, const LoopNest& nest, const MixedOrderReduction* matrix,
                     const ir::Target& target);

}  // namespace lowering
