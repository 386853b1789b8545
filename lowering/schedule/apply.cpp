#include "lowering/schedule/apply.h"

#include "ir/error.h"
#include "lowering/heuristics/schedule.h"
#include "lowering/schedule/launches.h"

namespace lowering {
namespace {

/// Makes the kernel of a nest by a schedule of chooseSchedule or candidates, which choose only schedules that the nest can have.
class Applier {
 public:
  Applier(const LoopNest& nest, const ir::Target& target) : nest_(nest), target_(target) {
    if (!nest.reduction) elements_.elementStores = nest.loops.stores;
  }

  ir::Kernel operator()(const LayoutSchedule& schedule) const {
    if (schedule.isPersistentKernel()) return applyPersistent(matrix(), target_, schedule);
    if (schedule.staging == Staging::Crossing)
      return applyReduction(nest_.loops, transposition().nest, transposition().domain, target_, schedule);
    const auto applyTo = nest_.hasScans() ? applyScan : nest_.reduction ? applyReduction : applyPointwise;
    return applyTo(nest_.loops, loopsOver(), nest_.domain, target_, schedule);
  }
  ir::Kernel operator()(const TaskSchedule& schedule) const {
    if (schedule.isTransposed) return applyTransposedTasks(nest_.loops, transposition(), target_, schedule);
    return (nest_.hasScans() ? applyTaskScan : applyTasks)(nest_.loops, loopsOver(), nest_.domain, target_, schedule);
  }

 private:
  const MixedOrderReduction& matrix() const {
    ir::require(nest_.mixedOrder.has_value(), "{} has a persistent schedule and reduces no matrix", nest_.loops.name);
    return *nest_.mixedOrder;
  }
  const Transposition& transposition() const {
    ir::require(nest_.transposition.has_value(), "{} has a schedule of transpositions and transposes nothing", nest_.loops.name);
    return *nest_.transposition;
  }

  /// The reductions, or a nest of all stores without one.
  const ReductionNest& loopsOver() const { return nest_.reduction ? *nest_.reduction : elements_; }

  const LoopNest& nest_;
  const ir::Target& target_;
  ReductionNest elements_;
};

}  // namespace

ir::Kernel apply(const LoopNest& nest, const ir::Target& target, const Schedule& schedule) {
  return std::visit(Applier(nest, target), schedule);
}

ir::Kernel apply(const ir::Loops& loops, const ir::Target& target) {
  const LoopNest nest = analyze(loops, target);
  return narrowIndices({apply(nest, target, chooseSchedule(nest, target))}).front();
}

}  // namespace lowering
