#include "lowering/schedule/schedule.h"

namespace lowering {
namespace {

ir::Kernel scheduled(const ir::Loops& loops, const ir::Target& target, const PointwiseTiling& tiling) {
  return schedulePointwise(loops, target, tiling);
}

ir::Kernel scheduled(const ir::Loops& loops, const ir::Target& target, const RowTiling& tiling) {
  const ReductionNest nest = *reductionNestOf(loops);
  return scheduleRows(loops, nest, IterationDomain(loops, nest), target, tiling);
}

ir::Kernel scheduled(const ir::Loops& loops, const ir::Target& target, const ColumnTiling& tiling) {
  const ReductionNest nest = *reductionNestOf(loops);
  return scheduleColumns(loops, nest, IterationDomain(loops, nest), target, tiling);
}

ir::Kernel scheduled(const ir::Loops& loops, const ir::Target& target, const StagedTiling& tiling) {
  const ReductionNest nest = *reductionNestOf(loops);
  return scheduleStaged(loops, nest, IterationDomain(loops, nest), target, tiling);
}

ir::Kernel scheduled(const ir::Loops& loops, const ir::Target& target, const PersistentTiling& tiling) {
  return schedulePersistent(*mixedOrderReductionOf({loops}, target), target, tiling);
}

ir::Kernel scheduled(const ir::Loops& loops, const ir::Target& target, const TaskTiling& tiling) {
  return scheduleCpu(loops, target, tiling);
}

ir::Kernel scheduled(const ir::Loops& loops, const ir::Target& target, const ScanTiling& tiling) {
  const ReductionNest nest = *reductionNestOf(loops);
  return scheduleScan(loops, nest, IterationDomain(loops, nest), target, tiling);
}

}  // namespace

ir::Kernel schedule(const ir::Loops& loops, const ir::Target& target, const Tiling& tiling) {
  return std::visit([&](const auto& one) { return scheduled(loops, target, one); }, tiling);
}

ir::Kernel schedule(const ir::Loops& loops, const ir::Target& target) {
  return schedule(loops, target, chooseTiling(loops, target));
}

}  // namespace lowering
