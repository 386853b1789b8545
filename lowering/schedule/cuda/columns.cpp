// Outer reductions: tiles of columns, whose elements the threads of a CTA or a cluster share.
#include "lowering/heuristics/columns.h"

#include <algorithm>

#include "ir/index/ceil_div.h"
#include "lowering/heuristics/limits.h"
#include "lowering/schedule/apply.h"
#include "lowering/schedule/cuda/reduction.h"

namespace lowering {
namespace {

/// A tile's columns lie over neighbouring threads, their elements over the others, its CTAs and a thread's steps.
ReductionSchedule scheduleOf(const ColumnSchedule& schedule, const ReductionNest& nest, const IterationDomain& domain) {
  const std::size_t last = domain.elementDims() - 1;
  const int64_t steps = ceilDiv(schedule.elements, int64_t{schedule.down} * schedule.splits());
  const bool isReadAgain = nest.traversals() + (nest.elementStores.empty() ? 0 : 1) > 1;
  const bool isHeld = isReadAgain && steps <= limits::columns::heldVectors;
  const int64_t unrolled = isHeld ? steps : std::min(steps, limits::columns::vectorsInFlight);

  ReductionSchedule how;
  how.hold = isHeld ? Hold::Registers : Hold::Nowhere;
  Layout& layout = how.layout;
  const Layout::Dim elements{domain.elementDims(), domain.dims().size(), schedule.elements};
  if (schedule.isDirect()) {
    layout.dims = {{0, last + 1, schedule.vectors(), schedule.lanes}, elements};
    layout.parts = {{0, Bind::Grid, ceilDiv(schedule.vectors(), schedule.block())},
                    {1, Bind::Serial, ceilDiv(steps, unrolled)},
                    {1, Bind::Unrolled, unrolled},
                    {0, Bind::Thread, schedule.block()}};
    return how;
  }
  layout.laneDim = 1;
  layout.dims = {{0, last, schedule.outer}, {last, last + 1, schedule.columns / schedule.lanes, schedule.lanes}, elements};
  layout.parts = {{0, Bind::Grid, schedule.outer},
                  {1, Bind::Grid, schedule.tiles(), schedule.across},
                  {2, Bind::Serial, ceilDiv(steps, unrolled)},
                  {2, Bind::Unrolled, unrolled},
                  {2, schedule.gridSplits > 1 ? Bind::Grid : Bind::Cluster, schedule.splits()},
                  {2, Bind::Thread, schedule.down},
                  {1, Bind::Thread, schedule.across}};
  return how;
}

}  // namespace

ir::Kernel applyColumns(const ir::Loops& loops, const ReductionNest& nest, const IterationDomain& domain,
                        const ir::Target& target, const ColumnSchedule& schedule) {
  return applyReduction(loops, nest, domain, target, scheduleOf(schedule, nest, domain));
}

}  // namespace lowering
