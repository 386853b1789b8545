#pragma once

#include "ir/kernel.h"
#include "lowering/heuristics/tiling.h"

namespace lowering {

/// Binds loops to the hardware: blocks, threads and vectors, or tasks and vectors. The tiling is one of `candidates` of the
/// same nest and target.
ir::Kernel schedule(const LoopNest& nest, const ir::Target& target, const Tiling& tiling);
/// The same with the tiling of the rules.
ir::Kernel schedule(const ir::Loops& loops, const ir::Target& target);

ir::Kernel schedulePointwise(const ir::Loops& loops, const IterationDomain& domain, const ir::Target& target,
                             const PointwiseTiling& tiling);
/// An inner (contiguous) reduction: neighbouring threads work on one row.
ir::Kernel scheduleRows(const ir::Loops& loops, const ReductionNest& nest, const IterationDomain& domain,
                        const ir::Target& target, const RowTiling& tiling);
/// A reduction some of whose tensors are contiguous along the kept axes and others along the reduced ones: tiles in shared memory.
ir::Kernel scheduleStaged(const ir::Loops& loops, const ReductionNest& nest, const IterationDomain& domain,
                          const ir::Target& target, const StagedTiling& tiling);
/// An outer (column) reduction, contiguous along the kept axes: neighbouring threads work on different columns.
ir::Kernel scheduleColumns(const ir::Loops& loops, const ReductionNest& nest, const IterationDomain& domain,
                           const ir::Target& target, const ColumnTiling& tiling);
/// A nest of scans.
ir::Kernel scheduleScan(const ir::Loops& loops, const ReductionNest& nest, const IterationDomain& domain,
                        const ir::Target& target, const ScanTiling& tiling);

/// A mixed-order reduction as a persistent kernel: CTAs take rows one after another; after a grid barrier all of them add the partial
/// results of columns.
ir::Kernel schedulePersistent(const MixedOrderReduction& matrix, const ir::Target& target, const PersistentTiling& tiling);

ir::Kernel scheduleCpuPointwise(const ir::Loops& loops, const IterationDomain& domain, const ir::Target& target);
ir::Kernel scheduleCpuRows(const ir::Loops& loops, const ReductionNest& nest, const IterationDomain& domain,
                           const ir::Target& target);
ir::Kernel scheduleCpuColumns(const ir::Loops& loops, const ReductionNest& nest, const IterationDomain& domain,
                              const ir::Target& target, const TaskTiling& tiling);
ir::Kernel scheduleCpuScan(const ir::Loops& loops, const ReductionNest& nest, const IterationDomain& domain,
                           const ir::Target& target);

}  // namespace lowering
