#pragma once

#include <optional>

#include "ir/index/ceil_div.h"
#include "ir/target.h"
#include "lowering/analysis/mixed_order.h"

namespace lowering {

/// How a mixed-order reduction is laid over as many CTAs as run at once: groups of threads take rows, one after another, and hold
/// the sums of columns meanwhile.
struct PersistentSchedule {
  int group = 32;     ///< threads a row
  int vectors = 1;    ///< of a row that a thread takes
  int rows = 1;       ///< that a group takes at once
  int block = 32;     ///< threads of a CTA
  int grid = 1;       ///< CTAs
  bool adds = false;  ///< whether CTAs add their sums of columns to one array, atomically, so that results differ from
                      ///< run to run; else each stores partial results

  int groups() const { return block / group; }
  int64_t rowsAtOnce() const { return int64_t{grid} * groups() * rows; }
  bool operator==(const PersistentSchedule&) const = default;
};

/// Whether PersistentSchedule::adds is possible: the columns' reductions are f32 sums.
bool canAdd(const MixedOrderReduction& matrix);

/// The schedule for a GPU, by rules that were measured on sm_90 (docs/schedules.md); nothing where a row is too long for the
/// registers of a CTA.
std::optional<PersistentSchedule> choosePersistentSchedule(const MixedOrderReduction& matrix, const ir::Target& target);

/// The same for a reduction along columns alone, where it is faster than tiles of columns; else nothing.
std::optional<PersistentSchedule> choosePersistentColumns(const MixedOrderReduction& columns, const ir::Target& target);

}  // namespace lowering
