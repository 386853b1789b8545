#include <algorithm>

#include "lowering/heuristics/cpu/rules.h"
#include "lowering/heuristics/schedule.h"
#include "lowering/layout/check.h"
#include "lowering/layout/check_tasks.h"
#include "lowering/layout/held.h"

namespace lowering {
namespace {

constexpr int64_t mostUnrolled = 8, mostAtOnce = 8, longestBlock = 64;

/// Collects schedules that differ from one in one field, or in what follows from it.
class Edits {
 public:
  explicit Edits(const TaskSchedule& rules) : rules_(rules) {}

  void add(const TaskSchedule& schedule) { all.push_back(schedule); }
  template <typename T>
  void set(T TaskSchedule::* field, int64_t value) {
    TaskSchedule schedule = rules_;
    schedule.*field = static_cast<T>(value);
    if (schedule.splits > 1) schedule.grain = 1;
    add(schedule);
  }
  void flip(bool TaskSchedule::* field) { set(field, rules_.*field ? 0 : 1); }
  /// Twice and half of a number; twice only up to `most`.
  template <typename T>
  void scale(T TaskSchedule::* field, int64_t most) {
    const int64_t value{rules_.*field};
    if (2 * value <= most) set(field, 2 * value);
    set(field, value / 2);
  }
  /// Holds nothing where the rules hold something, and otherwise as much as there may be.
  void hold(const std::vector<HeldArray>& arrays) {
    set(&TaskSchedule::heldBytes, rules_.heldBytes > 0 ? 0 : largestWithin(arrays, mostHeldBytes));
  }

  std::vector<TaskSchedule> all;

 private:
  const TaskSchedule rules_;
};

/// Accumulators of a sum, neighbouring rows of a task, tasks that share a row, and a sum without blocks.
void editRows(Edits& edits, const LoopNest& nest, const ir::Target& target) {
  edits.scale(&TaskSchedule::unroll, mostUnrolled);
  if (nest.domain.numel(nest.domain.elementDims(), nest.domain.innermost()) > 1)
    edits.scale(&TaskSchedule::rows, nest.domain.numel());
  edits.scale(&TaskSchedule::splits, 4 * int64_t{target.processors});
  edits.set(&TaskSchedule::block, 0);
}

/// Tiles, tasks that share columns, blocks of these and elements of a block at once, and the stores' order.
void editColumns(Edits& edits, const ir::Target& target, const TaskSchedule& rules) {
  edits.scale(&TaskSchedule::tile, rules.tile * 2);
  edits.scale(&TaskSchedule::splits, 4 * int64_t{target.processors});
  if (rules.splits > 1) edits.flip(&TaskSchedule::takesAll);
  edits.set(&TaskSchedule::block, 0);
  edits.scale(&TaskSchedule::atOnce, mostAtOnce);
  edits.flip(&TaskSchedule::storesAcross);
}

/// Smaller squares, more or fewer of them in a task, and none.
void editSquares(Edits& edits, const LoopNest& nest, const ir::Target& target, const TaskSchedule& rules) {
  edits.set(&TaskSchedule::lanes, rules.lanes / 2);
  edits.scale(&TaskSchedule::tile, rules.tile * 2);
  edits.scale(&TaskSchedule::rows, rules.rows * 2);
  edits.add(choosePointwiseTasks(nest, target));
}

/// Tiles of columns, and blocks of elements.
void editScans(Edits& edits, const TaskSchedule& rules) {
  for (const int64_t tile : {rules.tile * 2, rules.tile / 2}) {
    TaskSchedule schedule = rules;
    schedule.tile = std::min(tile, mostUnrolled);
    schedule.unroll = static_cast<int>(schedule.tile);
    edits.add(schedule);
  }
  edits.scale(&TaskSchedule::block, longestBlock);
  edits.set(&TaskSchedule::block, 0);
}

std::optional<Schedule> chooseTasks(const LoopNest& nest, const ir::Target& target) { return chooseTaskSchedule(nest, target); }

/// Possible schedules that differ from the rules' in a choice each.
std::vector<Schedule> otherTasks(const LoopNest& nest, const ir::Target& target, const TuningStart&) {
  const TaskSchedule rules = chooseTaskSchedule(nest, target);
  const auto& [loops, reduction, domain, mixedOrder, transposition] = nest;
  Edits edits(rules);
  if (rules.isTransposed) {
    editSquares(edits, nest, target, rules);
  } else if (!reduction) {
    edits.scale(&TaskSchedule::tile, rules.tile * 2);
    edits.scale(&TaskSchedule::rows, domain.numel());
  } else if (nest.hasScans()) {
    editScans(edits, rules);
  } else if (domain.runsAlongElements()) {
    editRows(edits, nest, target);
  } else {
    editColumns(edits, target, rules);
  }
  if (nest.hasReductions()) edits.hold(holdable(*reduction, domain, rules));
  if (rules.hasHead) edits.flip(&TaskSchedule::hasHead);
  edits.flip(&TaskSchedule::streams);
  if (rules.splits == 1) edits.scale(&TaskSchedule::grain, rules.grain * 2);
  std::vector<Schedule> possible;
  for (const TaskSchedule& schedule : edits.all)
    if (isPossible(schedule, nest, target)) possible.emplace_back(schedule);
  return possible;
}

std::optional<Schedule> tasksBeside(const Scheduled& columns, const Scheduled& rows, const ir::Target& target) {
  return chooseTasksAfter(rows.nest, columns.nest, target);
}

const ScheduleRule tasks{{.backend = ir::Backend::Cpu, .choose = chooseTasks, .others = otherTasks, .beside = tasksBeside}};

}  // namespace

}  // namespace lowering
