#pragma once

#include <optional>
#include <vector>

#include "ir/target.h"
#include "lowering/analysis/loop_nest.h"
#include "lowering/layout/schedule.h"

namespace lowering {

/// What tuning starts from.
struct Tuned {
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
    std::vector<Schedule> (*others)(const LoopNest& nest, const ir::Target& target, const Tuned& tuned) = nullptr;
  };
  explicit ScheduleRule(const Definition& definition);
};

}  // namespace lowering
