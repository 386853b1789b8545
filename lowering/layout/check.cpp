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
    // A persistent kernel accumulates in arrays of its own.
    checkAtomic(schedule.isAtomic && !schedule.isPersistentKernel(), !pointsMeet(nest_.domain));
    checkLayout(schedule, nest_, matrix_, target_);
  }

 private:
  /// Elements in which several threads or tasks accumulate.
  void checkAtomic(bool isAtomic, bool areApart) const {
    need(!isAtomic || nest_.domain.accumulates(), "nothing is accumulated that could be atomic");
    need(isAtomic || areApart, "elements in which several {} accumulate are 'atomic'",
         target_.backend == ir::Backend::Cpu ? "tasks" : "threads");
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
