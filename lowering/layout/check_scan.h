#pragma once

#include "ir/target.h"
#include "lowering/analysis/iteration_domain.h"
#include "lowering/layout/schedule.h"

namespace lowering {

/// What `check` asks of a scan's layout beside what it asks of any other one.
void checkScan(const LayoutSchedule& schedule, const IterationDomain& domain, const ir::Target& target);

}  // namespace lowering
