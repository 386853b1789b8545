#include "lowering/layout/schedule.h"

namespace lowering {

const IterationDomain& domainOf(const LayoutSchedule& schedule, const LoopNest& nest) {
  return schedule.staging == Staging::Crossing && nest.transposition ? nest.transposition->domain : nest.domain;
}

std::optional<PersistentSchedule> commonSchedule(const Schedule& first, const Schedule& second) {
  const auto* one = std::get_if<PersistentSchedule>(&first);
  const auto* other = std::get_if<PersistentSchedule>(&second);
  if (one == nullptr || other == nullptr) return std::nullopt;
  PersistentSchedule shared = *one;
  shared.adds = one->adds || other->adds;
  PersistentSchedule same = *other;
  same.adds = shared.adds;
  return shared == same ? std::optional(shared) : std::nullopt;
}

}  // namespace lowering
