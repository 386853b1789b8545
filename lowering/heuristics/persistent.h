#pragma once

#include <optional>

#include "ir/index/ceil_div.h"
#include "ir/target.h"
#include "lowering/analysis/mixed_order.h"
#include "lowering/layout/schedule.h"

namespace lowering {

/// The schedule for a GPU, by rules that were measured on sm_90 (docs/schedules.md), in the dims of the matrix; nothing where a
/// row is too long for the registers of a CTA.
std::optional<LayoutSchedule> choosePersistentSchedule(const MixedOrderReduction& matrix, const ir::Target& target);

/// Of a matrix whose elements take another traversal, the schedule of this one: the threads and CTAs are the same, and take as
/// many rows at once as keep memory busy.
LayoutSchedule withRowsAhead(LayoutSchedule schedule, const MixedOrderReduction& elements, const ir::Target& target);

/// choosePersistentSchedule for a reduction along columns alone, whose elements may be stored as well, where it is faster than
/// tiles of columns; else nothing.
std::optional<LayoutSchedule> choosePersistentColumns(const MixedOrderReduction& columns, const ir::Target& target);

}  // namespace lowering
