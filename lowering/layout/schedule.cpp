#include "lowering/layout/schedule.h"

#include "ir/index/ceil_div.h"

namespace lowering {

int64_t ScanSchedule::chunks() const { return ceilDiv(vectors, chunk() * gridSplits); }

const IterationDomain& domainOf(const LayoutSchedule& schedule, const LoopNest& nest) {
  return schedule.staging == Staging::Crossing && nest.transposition ? nest.transposition->domain : nest.domain;
}

}  // namespace lowering
