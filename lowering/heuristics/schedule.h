#pragma once

#include <string>
#include <variant>
#include <vector>

#include "ir/target.h"
#include "lowering/analysis/loop_nest.h"
#include "lowering/heuristics/columns.h"
#include "lowering/heuristics/persistent.h"
#include "lowering/heuristics/pointwise.h"
#include "lowering/heuristics/rows.h"
#include "lowering/heuristics/scan.h"
#include "lowering/heuristics/staged.h"
#include "lowering/heuristics/transposed.h"

namespace lowering {

/// How a CPU cuts loops into tasks.
struct TaskSchedule {
  int64_t splits = 0;  ///< of sums of columns: tasks, each of which takes some elements of all columns; 0: by the rules
  bool operator==(const TaskSchedule&) const = default;
};

/// How the loops of a nest are mapped to the threads and the memory of a target; a plain value.
using Schedule = std::variant<PointwiseSchedule, TransposedSchedule, RowSchedule, ColumnSchedule, StagedSchedule,
                              PersistentSchedule, ScanSchedule, TaskSchedule>;

/// What distinguishes it from other schedules of the same loops: `rows group 128 steps 2 block 128 ctas 1 hold registers
/// resident 4`.
std::string toText(const Schedule& schedule);

/// The schedule of loops for a target by the rules.
Schedule chooseSchedule(const LoopNest& nest, const ir::Target& target);
/// The schedules worth trying: `own` first, which may serve a launch that the loops share with others; then that of the rules,
/// and a handful that differ from either in one choice each, whose effect only a measurement tells. Their texts differ.
std::vector<Schedule> candidates(const LoopNest& nest, const ir::Target& target, const Schedule& own);

}  // namespace lowering
