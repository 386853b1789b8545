#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "ir/target.h"
#include "lowering/analysis/loop_nest.h"

namespace lowering {

/// Where the reduced axes of a nest that have more than one value are cut in two: the first stage of a split reduction takes the
/// axes after `axis`, and `length` values of this one.
struct ReductionSplit {
  std::size_t axis = 0;
  int64_t length = 1;
};

/// The split of large sums of columns whose tensors run both ways in memory, by rules that were measured on sm_90
/// (docs/schedules.md): tiles in shared memory hold what the first stage takes, and not whole columns. Nothing where one stage is
/// as good.
std::optional<ReductionSplit> chooseSplit(const LoopNest& nest, const ir::Target& target);

/// The split of a large sum whose first stage reads what a transposition copies by tiles, and takes as much as a tile has across.
/// Nothing where they do not read one tensor along one axis, and of several sums, whose exchange takes longer than another
/// reading (of f16[128, 196, 768] three took 119 us in tiles and 86 us apart).
std::optional<ReductionSplit> chooseSplitBeside(const LoopNest& transposition, const LoopNest& sum, const ir::Target& target);

}  // namespace lowering
