#include "lowering/layout/schedule.h"

#include "lowering/layout/edit.h"

namespace lowering {

const IterationDomain& domainOf(const LayoutSchedule& schedule, const LoopNest& nest) {
  return schedule.staging == Staging::Crossing && nest.transposition ? nest.transposition->domain : nest.domain;
}

std::optional<LayoutSchedule> commonSchedule(const Schedule& first, const Schedule& second) {
  const auto* one = std::get_if<LayoutSchedule>(&first);
  const auto* other = std::get_if<LayoutSchedule>(&second);
  if (one == nullptr || other == nullptr || !one->isPersistentKernel() || other->layout.dims.size() != 2) return std::nullopt;
  if (one->layout.dims.size() != 2) return std::nullopt;
  LayoutSchedule shared = *one, same = transposed(*other);
  // Both have two dims, numbered as in their own domains, which differ.
  for (LayoutSchedule* schedule : {&shared, &same})
    for (Layout::Dim& dim : schedule->layout.dims) dim.begin = dim.end = 0;
  shared.isAtomic = same.isAtomic = one->isAtomic || other->isAtomic;
  return shared == same ? std::optional(shared) : std::nullopt;
}

}  // namespace lowering
