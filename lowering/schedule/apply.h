#pragma once

#include "ir/kernel.h"
#include "lowering/analysis/loop_nest.h"
#include "lowering/layout/schedule.h"

namespace lowering {

/// Binds loops to the hardware: blocks, threads and vectors, or tasks and vectors. The schedule is one of `candidates` of the
/// same nest and target.
ir::Kernel apply(const LoopNest& nest, const ir::Target& target, const Schedule& schedule);
/// The same with the schedule of the rules.
ir::Kernel apply(const ir::Loops& loops, const ir::Target& target);

/// Loops without reductions, of a nest that stores all they do.
ir::Kernel applyPointwise(const ir::Loops& loops, const ReductionNest& elements, const IterationDomain& domain,
                          const ir::Target& target, const LayoutSchedule& schedule);
/// A reduction, or a transposition as a nest of none.
ir::Kernel applyReduction(const ir::Loops& loops, const ReductionNest& nest, const IterationDomain& domain,
                          const ir::Target& target, const LayoutSchedule& schedule);
/// A nest of scans.
ir::Kernel applyScan(const ir::Loops& loops, const ReductionNest& nest, const IterationDomain& domain, const ir::Target& target,
                     const LayoutSchedule& schedule);

/// A mixed-order reduction as a persistent kernel: CTAs take rows one after another; after a grid barrier all of them add the
/// partial results of columns.
ir::Kernel applyPersistent(const MixedOrderReduction& matrix, const ir::Target& target, const LayoutSchedule& schedule);

/// Tasks on a CPU: loops without scans, of a nest that has no reductions where the loops have none; and scans.
ir::Kernel applyTasks(const ir::Loops& loops, const ReductionNest& nest, const IterationDomain& domain, const ir::Target& target,
                      const TaskSchedule& schedule);
ir::Kernel applyTransposedTasks(const ir::Loops& loops, const Transposition& transposition, const ir::Target& target,
                                const TaskSchedule& schedule);
ir::Kernel applyTaskScan(const ir::Loops& loops, const ReductionNest& nest, const IterationDomain& domain,
                         const ir::Target& target, const TaskSchedule& schedule);

}  // namespace lowering
