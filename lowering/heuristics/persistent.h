#pragma once

#include <optional>

#include "ir/index/ceil_div.h"
#include "ir/target.h"
#include "lowering/analysis/loop_nest.h"
#include "lowering/layout/schedule.h"

namespace lowering {

/// The schedule for a GPU, by rules that were measured on sm_90 (docs/schedules.md), in the dims of the matrix; nothing where a
/// row is too long for the registers of a CTA.
std::optional<LayoutSchedule> choosePersistentSchedule(const MixedOrderReduction& matrix, const ir::Target& target);

/// The schedule of the columns' results, which as many CTAs compute after the grid barrier, of as many threads, as the rows have:
/// each takes some neighbouring columns, so many that one round is enough, as rounds wait for each other.
LayoutSchedule choosePersistentResults(const LoopNest& results, int block, int64_t ctas);

/// The schedule of elements that need the sums of columns, which are a traversal of their own after the one that makes these sums
/// by `ofSums`: the threads and CTAs are the same, and take as many rows at once as keep memory busy. The last rows come first:
/// the cache still has them.
LayoutSchedule choosePersistentElements(const LayoutSchedule& ofSums, const MixedOrderReduction& elements,
                                        const ir::Target& target);

/// choosePersistentSchedule for a reduction along columns alone, whose elements may be stored as well, where it is faster than
/// tiles of columns; else nothing.
std::optional<LayoutSchedule> choosePersistentColumns(const MixedOrderReduction& columns, const ir::Target& target);

/// Whether the CTAs of that kernel have one row at once, as its loads leave no registers, or its columns no threads, for more.
bool takesSingleRows(const MixedOrderReduction& columns, const ir::Target& target);

}  // namespace lowering
