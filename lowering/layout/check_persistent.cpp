#include "lowering/layout/check_persistent.h"

#include <algorithm>

#include "lowering/layout/need.h"

namespace lowering {
namespace {

void checkParts(const Layout& layout, std::size_t alongRow) {
  const std::size_t acrossRows = 1 - alongRow;
  for (const Part& part : layout.parts) need(part.block == 0 && part.threads == 0, "persistent kernels have no blocks");
  need(layout.splits(alongRow) == 1 && layout.extent(alongRow, Bind::Serial) == 1, "a group has all of a row at once");
  need(layout.isInOrder({{acrossRows, Bind::Serial},
                         {acrossRows, Bind::Unrolled},
                         {acrossRows, Bind::Grid},
                         {acrossRows, Bind::Thread},
                         {alongRow, Bind::Unrolled},
                         {alongRow, Bind::Thread}}),
       "rows are cut for a loop, unrolled loops, the grid and groups in turn, and columns for unrolled loops and threads");
  need(std::count_if(layout.parts.begin(), layout.parts.end(), [](const Part& part) { return part.bind == Bind::Serial; }) <= 1,
       "rows are taken in one loop");
}

}  // namespace

void checkPersistent(const LayoutSchedule& schedule, const LoopNest& nest, const MixedOrderReduction* matrix,
                     const ir::Target& target) {
  const Layout& layout = schedule.layout;
  LayoutSchedule plain;
  plain.layout = layout;
  plain.isAtomic = schedule.isAtomic;
  plain.isPersistent = true;
  plain.resident = 1;
  need(schedule == plain, "of a persistent kernel there is nothing to say but 'atomic', 'persistent' and 'resident 1'");
  need(matrix != nullptr, "the loops reduce no matrix");
  const std::size_t alongRow = nest.domain.runsAlongElements() ? 1 : 0;
  need(layout.dims.size() == 2 && layout.laneDim == alongRow && layout.lanes() == matrix->lanes,
       "a matrix has two dims, and vectors of {} columns", matrix->lanes);
  checkParts(layout, alongRow);
  if (matrix->alongRows.traversals() > 0)
    checkGroups(layout.extent(alongRow, Bind::Thread), layout);
  else
    checkWarps(layout);
  need(layout.extent(1 - alongRow, Bind::Unrolled) == 1 || matrix->alongRows.traversals() == 0,
       "rows that are reduced come one by one");
  need(layout.extent(1 - alongRow, Bind::Thread) * matrix->columns() * matrix->sumBytes() <= target.ctaSharedBytes,
       "its partial results exceed shared memory");
  need(!schedule.isAtomic || canAdd(*matrix), "only f32 sums can be added to by all CTAs");
}

}  // namespace lowering
