// Inner reductions: a group of threads, a CTA or a cluster of them a row.
#include "lowering/heuristics/rows.h"

#include <algorithm>

#include "ir/index/ceil_div.h"
#include "lowering/heuristics/limits.h"
#include "lowering/schedule/apply.h"
#include "lowering/schedule/cuda/reduction.h"

namespace lowering {
namespace {

enum Dims : std::size_t { row, run, vector };

/// Runs of a row follow one another in a CTA's split, so that few addresses reach a thread's; vectors take turns.
Layout layoutOf(const RowSchedule& schedule, const IterationDomain& domain) {
  Layout layout;
  layout.dims = {{0, domain.elementDims(), schedule.rows},
                 {domain.elementDims(), domain.innermost(), schedule.runs},
                 {domain.innermost(), domain.dims().size(), schedule.runVectors, schedule.lanes}};
  layout.laneDim = vector;
  // All of a row unrolled where it stays in registers, else as many vectors as are read at once.
  const auto unrolled = [&](int64_t steps, int64_t inside) {
    if (schedule.hold == Hold::Registers) return steps;
    return std::min(steps, std::max<int64_t>(1, limits::rows::vectorsInFlight / inside));
  };
  const int64_t runs = unrolled(schedule.runSteps, schedule.vectorSteps), vectors = unrolled(schedule.vectorSteps, 1);
  const Bind splits = schedule.gridSplits > 1 ? Bind::Grid : Bind::Cluster;
  const int64_t runsOfSplit = ceilDiv(schedule.runs, schedule.runSplits());
  if (splits == Bind::Cluster) layout.parts.push_back({row, Bind::Grid, ceilDiv(schedule.rows, schedule.rowsPerCta())});
  if (schedule.hasRuns()) layout.parts.push_back({run, splits, schedule.runSplits(), runsOfSplit});
  layout.parts.insert(layout.parts.end(), {{row, Bind::Thread, schedule.rowsPerCta(), 0, schedule.group},
                                           {run, Bind::Serial, ceilDiv(schedule.runSteps, runs)},
                                           {vector, Bind::Serial, ceilDiv(schedule.vectorSteps, vectors)},
                                           {run, Bind::Unrolled, runs},
                                           {vector, Bind::Unrolled, vectors},
                                           {vector, splits, schedule.alongRun},
                                           {run, Bind::Thread, schedule.runsAtOnce},
                                           {vector, Bind::Thread, schedule.columns}});
  return layout;
}

}  // namespace

ir::Kernel applyRows(const ir::Loops& loops, const ReductionNest& nest, const IterationDomain& domain, const ir::Target& target,
                     const RowSchedule& schedule) {
  ReductionSchedule how;
  how.layout = layoutOf(schedule, domain);
  how.hold = schedule.hold;
  how.readsAhead = how.layout.extent(Bind::Unrolled) <= limits::rows::prefetchedVectors;
  how.keepsFunctions = schedule.keepsFunctions;
  how.hasCover = schedule.hasCover;
  how.isPersistent = schedule.isPersistent;
  how.resident = schedule.resident;
  return applyReduction(loops, nest, domain, target, how);
}

}  // namespace lowering
