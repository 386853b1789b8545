#include "lowering/schedule/schedule.h"

#include "ir/error.h"

namespace lowering {
namespace {

/// Schedules a nest by a tiling that chooseTiling or candidates chose for it: what the tiling needs of the nest is there.
class Scheduler {
 public:
  Scheduler(const LoopNest& nest, const ir::Target& target) : nest_(nest), target_(target) {}

  ir::Kernel operator()(const PointwiseTiling& tiling) const {
    return schedulePointwise(nest_.loops, nest_.domain, target_, tiling);
  }
  ir::Kernel operator()(const RowTiling& tiling) const {
    return scheduleRows(nest_.loops, reduction(), nest_.domain, target_, tiling);
  }
  ir::Kernel operator()(const ColumnTiling& tiling) const {
    return scheduleColumns(nest_.loops, reduction(), nest_.domain, target_, tiling);
  }
  ir::Kernel operator()(const StagedTiling& tiling) const {
    return scheduleStaged(nest_.loops, reduction(), nest_.domain, target_, tiling);
  }
  ir::Kernel operator()(const ScanTiling& tiling) const {
    return scheduleScan(nest_.loops, reduction(), nest_.domain, target_, tiling);
  }
  ir::Kernel operator()(const PersistentTiling& tiling) const {
    ir::require(nest_.mixedOrder.has_value(), "{} has a persistent tiling and reduces no matrix", nest_.loops.name);
    return schedulePersistent(*nest_.mixedOrder, target_, tiling);
  }
  ir::Kernel operator()(const TaskTiling& tiling) const {
    const auto& [loops, reduction, domain, mixedOrder] = nest_;
    if (!reduction) return scheduleCpuPointwise(loops, domain, target_);
    if (reduction->scans) return scheduleCpuScan(loops, *reduction, domain, target_);
    if (domain.runsAlongElements()) return scheduleCpuRows(loops, *reduction, domain, target_);
    return scheduleCpuColumns(loops, *reduction, domain, target_, tiling);
  }

 private:
  const ReductionNest& reduction() const {
    ir::require(nest_.reduction.has_value(), "{} has a tiling of reductions and reduces nothing", nest_.loops.name);
    return *nest_.reduction;
  }

  const LoopNest& nest_;
  const ir::Target& target_;
};

}  // namespace

ir::Kernel schedule(const LoopNest& nest, const ir::Target& target, const Tiling& tiling) {
  return std::visit(Scheduler(nest, target), tiling);
}

ir::Kernel schedule(const ir::Loops& loops, const ir::Target& target) {
  const LoopNest nest = analyze(loops, target);
  return schedule(nest, target, chooseTiling(nest, target));
}

}  // namespace lowering
