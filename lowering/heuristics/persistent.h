#pragma once

#include <optional>

#include "ir/index/ceil_div.h"
#include "ir/target.h"
#include "lowering/analysis/mixed_order.h"
#include "lowering/layout/schedule.h"

namespace lowering {

/// The schedule for a GPU, by rules that were measured on sm_90 (docs/schedules.md), of loops along the rows if there are any;
/// nothing where a row is too long for the registers of a CTA.
std::optional<LayoutSchedule> choosePersistentSchedule(const MixedOrderReduction& matrix, const ir::Target& target);

/// The same for a reduction along columns alone, where it is faster than tiles of columns; else nothing.
std::optional<LayoutSchedule> choosePersistentColumns(const MixedOrderReduction& columns, const ir::Target& target);

}  // namespace lowering
