#pragma once

#include <optional>
#include <vector>

#include "ir/target.h"
#include "lowering/analysis/loop_nest.h"
#include "lowering/layout/schedule.h"

namespace lowering {

/// The schedule of loops for a target by the rules.
Schedule chooseSchedule(const LoopNest& nest, const ir::Target& target);
/// The schedules worth trying: `own` first, which may serve a launch that the loops share with others; then the schedule
/// of the rules, schedules that the rules come to where one of their choices is another one, and neighbours of `own`, one edit
/// (layout/edit.h) from it. Which of them is the fastest only a measurement tells. Their texts differ.
std::vector<Schedule> candidates(const LoopNest& nest, const ir::Target& target, const Schedule& own);

/// A nest, and the schedule that it has so far.
struct Scheduled {
  const LoopNest& nest;
  const Schedule& schedule;
};
/// The schedule with which a nest takes the threads or tasks of another one that is independent of it, to share its launch or
/// what it leaves in the caches; nothing where it cannot, or gains nothing by that.
std::optional<Schedule> chooseBeside(const Scheduled& nest, const Scheduled& other, const ir::Target& target);

/// What tuning starts from.
struct TuningStart {
  const Schedule& own;    ///< of the nest, which may serve a launch that it shares with others
  bool isChosen = false;  ///< whether a rule is the one that chooses the nest's schedule
};

/// A kind of schedules, registered by being defined: `const ScheduleRule rows{{.order = 50, ...}};`.
class ScheduleRule {
 public:
  struct Definition {
    ir::Backend backend = ir::Backend::Cuda;
    int order = 0;  ///< of a backend's rules the first one that chooses a schedule for a nest has it
    /// The schedule that was measured to be the fastest of this kind; nothing where another kind is faster.
    std::optional<Schedule> (*choose)(const LoopNest& nest, const ir::Target& target) = nullptr;
    /// Schedules of this kind that tuning tries for a nest.
    std::vector<Schedule> (*others)(const LoopNest& nest, const ir::Target& target, const TuningStart& start) = nullptr;
    /// chooseBeside for nests of this kind; none where a kind has no such schedule.
    std::optional<Schedule> (*beside)(const Scheduled& nest, const Scheduled& other, const ir::Target& target) = nullptr;
  };
  explicit ScheduleRule(const Definition& definition);
};

}  // namespace lowering
