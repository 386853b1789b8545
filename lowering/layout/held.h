#pragma once

#include <vector>

#include "lowering/analysis/reduction_nest.h"
#include "lowering/layout/schedule.h"

namespace lowering {

/// What one traversal leaves on the stack for later ones: a function of each element of a row, or a load of each element of a
/// tile of columns.
struct HeldArray {
  const ir::Expr* value = nullptr;
  int traversal = 0;  ///< that computes or loads it
  int64_t elements = 0;
  int64_t bytes() const { return elements * ir::sizeOf(value->dtype); }
};

/// The arrays that a task can hold, however large: functions that another traversal needs again, of whole rows, and loads across
/// memory, of whole columns.
std::vector<HeldArray> holdable(const ReductionNest& nest, const IterationDomain& domain, const TaskSchedule& schedule);
/// The arrays that a schedule holds (TaskSchedule::heldBytes).
std::vector<HeldArray> heldArrays(const ReductionNest& nest, const IterationDomain& domain, const TaskSchedule& schedule);
/// The bytes of the largest array that is no larger than a limit; 0 where there is none.
int64_t largestWithin(const std::vector<HeldArray>& arrays, int64_t limit);

}  // namespace lowering
