#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lowering/layout/schedule.h"

namespace lowering {

// Edits of a schedule: each takes one and returns another. Parts are numbered from the outermost one; whether a nest can have the
// result is for `check` to say.

/// Every dim as one plain loop: dim i of the layout has the domain's dims up to `ends[i]`, dim `laneDim` in vectors.
LayoutSchedule unscheduled(const IterationDomain& domain, const std::vector<std::size_t>& ends, std::size_t laneDim, int lanes);
/// A part in two: an outer one, and inside it one of `factor` values.
LayoutSchedule split(LayoutSchedule schedule, std::size_t part, int64_t factor);
/// A part of another binding.
LayoutSchedule bind(LayoutSchedule schedule, std::size_t part, Bind bind);
/// A loop as straight-line code.
LayoutSchedule unroll(LayoutSchedule schedule, std::size_t part);
/// A part at another place among the others.
LayoutSchedule reorder(LayoutSchedule schedule, std::size_t from, std::size_t to);
/// Of a matrix, the same with its two dims in the other order.
LayoutSchedule transposed(LayoutSchedule schedule);
/// Of a matrix, the same for a domain of it, or of loops that reduce it along one of its dims: rows and columns are the kept and
/// the reduced dims, in the domain's order.
LayoutSchedule inDims(LayoutSchedule schedule, const IterationDomain& domain);
/// Elements held in another place.
LayoutSchedule hold(LayoutSchedule schedule, Hold where);

/// All schedules that differ in one factor of two, which one part of a dim has less and another one more, or in where elements
/// are held.
std::vector<LayoutSchedule> neighbours(const LayoutSchedule& schedule);

}  // namespace lowering
