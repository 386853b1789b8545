// What a schedule must be for `apply` to make a kernel of it that does what its loops do.
#include "lowering/layout/check.h"

#include "lowering/analysis/ownership.h"
#include "lowering/layout/check_layout.h"
#include "lowering/layout/check_tasks.h"
#include "lowering/layout/need.h"

namespace lowering {
namespace {

/// Checks a schedule of each kind for one nest.
class Checker {
 public:
  /// `matrix` is what a persistent kernel would reduce, if there is one.
  Checker(const LoopNest& nest, const MixedOrderReduction* matrix, const ir::Target& target)
      : nest_(nest), matrix_(matrix), target_(target) {}

  void operator()(const TaskSchedule& schedule) const {
    need(target_.backend == ir::Backend::Cpu, "tasks are for CPUs");
    checkTasks(schedule, nest_, target_);
    checkAtomic(schedule.isAtomic, areTasksApart(nest_.domain, schedule));
  }
  void operator()(const LayoutSchedule& schedule) const {
    need(target_.backend == ir::Backend::Cuda, "layouts are for GPUs");
    checkAtomic(schedule.isAtomic, !pointsMeet(nest_.domain));
    checkLayout(schedule, nest_, target_);
  }
  void operator()(const PersistentSchedule& schedule) const {
    need(target_.backend == ir::Backend::Cuda, "persistent kernels are for GPUs");
    need(matrix_ != nullptr, "the loops reduce no matrix");
    const MixedOrderReduction& matrix = *matrix_;
    checkGroups(schedule.group, schedule.block);
    need(schedule.vectors > 0 && int64_t{schedule.vectors} * schedule.group * matrix.lanes >= matrix.columns(),
         "{} vectors of {} threads hold no row of {}", schedule.vectors, schedule.group, matrix.columns());
    need(schedule.rows > 0 && schedule.rows <= mostHeld && int64_t{schedule.vectors} * schedule.rows * matrix.lanes <= mostHeld,
         "a thread holds too much");
    need(schedule.rows == 1 || !matrix.alongRows || matrix.alongRows->nest.traversals() == 0,
         "rows that are reduced come one by one");
    need(schedule.grid > 0 && schedule.grid <= target_.processors, "only {} CTAs run at once", target_.processors);
    if (!matrix.alongColumns) return;
    int64_t bytes = 0;
    for (const Reduction& sum : matrix.alongColumns->nest.reductions) bytes += ir::sizeOf(sum.body->dtype);
    need(schedule.groups() * matrix.columns() * bytes <= target_.ctaSharedBytes, "its partial results exceed shared memory");
    need(!schedule.adds || canAdd(matrix), "only f32 sums can be added to by all CTAs");
  }

 private:
  /// Elements in which several threads or tasks accumulate.
  void checkAtomic(bool isAtomic, bool areApart) const {
    need(!isAtomic || nest_.domain.accumulates(), "nothing is accumulated that could be atomic");
    need(isAtomic || areApart, "elements in which several {} accumulate are 'atomic'",
         target_.backend == ir::Backend::Cpu ? "tasks" : "threads");
  }
  /// Groups of threads that can exchange, in whole warps.
  static void checkGroups(int group, int block) {
    need(group > 0 && (isPowerOfTwo(group) || group % ir::Target::warp == 0), "a group is a part of a warp or whole warps");
    need(block > 0 && block <= ir::Target::ctaThreads && block % ir::Target::warp == 0 && block % group == 0,
         "a CTA has whole warps and groups, up to {} threads", ir::Target::ctaThreads);
  }

  const LoopNest& nest_;
  const MixedOrderReduction* matrix_;
  const ir::Target& target_;
};

}  // namespace

void check(const Schedule& schedule, const LoopNest& nest, const ir::Target& target) {
  std::visit(Checker(nest, nest.matrix(), target), schedule);
}

void check(const std::vector<Schedule>& schedules, const LoopNests& nests, const ir::Target& target) {
  std::vector<const MixedOrderReduction*> matrices;
  for (const LoopNest& nest : nests.all) matrices.push_back(nest.matrix());
  for (const MixedOrderPair& pair : nests.mixedOrders)
    if (commonSchedule(schedules[pair.first], schedules[pair.second]))
      matrices[pair.first] = matrices[pair.second] = &pair.matrix;
  for (std::size_t i = 0; i < schedules.size(); ++i) std::visit(Checker(nests.all[i], matrices[i], target), schedules[i]);
}

bool isPossible(const Schedule& schedule, const LoopNest& nest, const ir::Target& target) {
  try {
    check(schedule, nest, target);
    return true;
  } catch (const ir::Error&) {
    return false;
  }
}

}  // namespace lowering
