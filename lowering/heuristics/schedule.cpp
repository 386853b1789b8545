#include "lowering/heuristics/schedule.h"

#include <algorithm>

#include "ir/error.h"
#include "lowering/layout/check.h"
#include "lowering/layout/edit.h"

namespace lowering {
namespace {

/// All rules, in their order.
std::vector<ScheduleRule::Definition>& rules() {
  static std::vector<ScheduleRule::Definition> all;
  return all;
}

/// The rule that chooses the schedule of a nest.
struct Chosen {
  const ScheduleRule::Definition* rule;
  Schedule schedule;
};
Chosen choose(const LoopNest& nest, const ir::Target& target) {
  for (const ScheduleRule::Definition& rule : rules()) {
    if (rule.backend != target.backend) continue;
    if (std::optional<Schedule> schedule = rule.choose(nest, target)) return {&rule, *std::move(schedule)};
  }
  ir::fail(ir::ErrorKind::Internal, "no rule has a schedule for {}", nest.loops.name);
}

}  // namespace

ScheduleRule::ScheduleRule(const Definition& definition) {
  const auto isBefore = [](const Definition& a, const Definition& b) { return a.order < b.order; };
  rules().insert(std::upper_bound(rules().begin(), rules().end(), definition, isBefore), definition);
}

Schedule chooseSchedule(const LoopNest& nest, const ir::Target& target) { return choose(nest, target).schedule; }

std::optional<Schedule> chooseBeside(const Scheduled& nest, const Scheduled& other, const ir::Target& target) {
  for (const ScheduleRule::Definition& rule : rules()) {
    if (rule.backend != target.backend || rule.beside == nullptr) continue;
    if (std::optional<Schedule> schedule = rule.beside(nest, other, target)) return schedule;
  }
  return std::nullopt;
}

std::vector<Schedule> candidates(const LoopNest& nest, const ir::Target& target, const Schedule& own) {
  std::vector<Schedule> schedules{own};
  const auto add = [&](const Schedule& other) {
    if (std::find(schedules.begin(), schedules.end(), other) == schedules.end()) schedules.push_back(other);
  };
  const Chosen chosen = choose(nest, target);
  add(chosen.schedule);
  for (const ScheduleRule::Definition& rule : rules()) {
    if (rule.backend != target.backend) continue;
    for (const Schedule& other : rule.others(nest, target, {own, &rule == chosen.rule})) add(other);
  }
  if (const auto* layout = std::get_if<LayoutSchedule>(&own))
    for (const LayoutSchedule& other : neighbours(*layout))
      if (isPossible(other, nest, target)) add(other);
  return schedules;
}

}  // namespace lowering
