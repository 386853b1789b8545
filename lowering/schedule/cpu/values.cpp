#include "lowering/schedule/cpu/values.h"

#include <algorithm>

namespace lowering {

using ir::Expr;

TaskValues::TaskValues(NestKernel& kernel, const Tasks& tasks, const TaskSchedule& schedule)
    : kernel_(kernel), tasks_(tasks), schedule_(schedule) {}

std::vector<int> TaskValues::addForReductions(const std::string& stem, int64_t elements, ir::Space space) {
  std::vector<int> locals;
  const int lanes = space == ir::Space::Private ? tasks_.lanes() : 1;
  for (const Reduction& reduction : kernel_.nest().reductions)
    locals.push_back(kernel_.addLocal(stem, reduction.body->dtype, elements, space, lanes));
  return locals;
}

void TaskValues::add() {
  const ReductionNest& nest = kernel_.nest();
  const bool areColumns = tasks_.areColumns();
  const int lanes = areColumns ? tasks_.lanes() : 1;
  kernel_.addAccumulators(count(), lanes);
  if (!areColumns || schedule_.block > 0) sums_ = addForReductions(areColumns ? "block" : "lanes", count() * sumsEach());
  if (!areColumns && schedule_.block > 0) blockSums_ = addForReductions("block", count() * sumsEach());
  if (schedule_.storesAcross) byColumn_ = addForReductions("result", count());
  const auto addLocal = [&](const char* stem, const Expr* value, int64_t elements) {
    return kernel_.addLocal(stem, value->dtype, elements, ir::Space::Private, lanes);
  };
  for (const HeldArray& array : heldArrays(nest, kernel_.domain(), schedule_))
    held_.emplace_back(array, addLocal("held", array.value, array.elements));
  // Of rows one after another this leaves the loops over their elements anyway.
  if (nest.reductions.empty() || (!areColumns && schedule_.rows == 1)) return;
  for (const TraversalValue& one : rowValues(nest)) hoisted_.emplace_back(one, addLocal("hoisted", one.value, count()));
}

std::vector<int> TaskValues::results() const {
  std::vector<int> locals;
  for (std::size_t i = 0; i < kernel_.nest().reductions.size(); ++i) locals.push_back(kernel_.accumulator(i));
  return locals;
}

const Expr* TaskValues::read(int local, ir::DType dtype, Value slot) const {
  return kernel_.pool().load(local, dtype, slot.expr(), tasks_.areColumns() ? ir::LoadMode::Contiguous : ir::LoadMode::PerLane);
}

LoadMap TaskValues::known(Value slot) const {
  LoadMap map;
  for (std::size_t i = 0; i < kernel_.nest().reductions.size(); ++i) {
    const Expr* result = kernel_.nest().reductions[i].result;
    map[result] = read(kernel_.accumulator(i), result->dtype, slot);
  }
  return map;
}

LoadMap TaskValues::knownOnce(Value slot) const {
  LoadMap map = known(slot);
  for (const auto& [one, local] : hoisted_) map[one.value] = read(local, one.value->dtype, slot);
  return map;
}

LoadMap TaskValues::known(const ElementVector& vector, int traversal) const {
  LoadMap map = knownOnce(vector.slot);
  for (const auto& [array, local] : held_)
    if (array.traversal < traversal) map[array.value] = kernel_.vector(local, array.value->dtype, vector.held.expr());
  return map;
}

LoadMap TaskValues::knownOfColumn(Value column) const {
  LoadMap map;
  const auto add = [&](const Expr* value, int local) { map[value] = kernel_.pool().load(local, value->dtype, column.expr()); };
  for (std::size_t i = 0; i < byColumn_.size(); ++i) add(kernel_.nest().reductions[i].result, byColumn_[i]);
  for (const auto& [one, local] : hoisted_) add(one.value, local);
  return map;
}

const Expr* TaskValues::identity(std::size_t i) const {
  const Reduction& reduction = kernel_.nest().reductions[i];
  return kernel_.pool().identity(reduction.op, reduction.body->dtype);
}

ir::Lanes TaskValues::forReductions(const std::vector<std::size_t>& reductions, int64_t lanes, const StoreOf& store) const {
  ir::Lanes all;
  all.axis = kernel_.pool().axis(lanes);
  for (std::size_t i : reductions) all.stores.push_back(store(i));
  return all;
}

ir::Block TaskValues::resetVectors(const std::vector<int>& locals, const std::vector<std::size_t>& reductions) const {
  return tasks_.across(count(), [&](Value column) {
    return ir::Block{{forReductions(reductions, tasks_.lanes(),
                                    [&](std::size_t i) { return ir::Store{locals[i], column.expr(), identity(i), true, {}}; })}};
  });
}

ir::Block TaskValues::reset(const std::vector<std::size_t>& reductions) const {
  if (tasks_.areColumns()) return resetVectors(results(), reductions);
  return {kernel_.reset(reductions, static_cast<int>(count()))};
}

ir::Block TaskValues::resetSums(const std::vector<std::size_t>& reductions) const {
  return tasks_.areColumns() ? resetVectors(sums_, reductions) : resetLanes(sums_, reductions);
}

ir::Block TaskValues::resetLanes(const std::vector<int>& locals, const std::vector<std::size_t>& reductions) const {
  const Value slot = kernel_.axis(count());
  return loop(ir::LoopKind::Serial, slot, {{forReductions(reductions, sumsEach(), [&](std::size_t i) {
                return ir::Store{locals[i], (slot * sumsEach()).expr(), identity(i), true, {}};
              })}});
}

ir::Block TaskValues::addBlockSums(const std::vector<std::size_t>& reductions) const {
  return {{forReductions(reductions, sumsEach(), [&](std::size_t i) {
    const Reduction& reduction = kernel_.nest().reductions[i];
    const Expr* zero = kernel_.number(0).expr();
    return ir::Store{sums_[i], zero, kernel_.vector(blockSums_[i], reduction.body->dtype, zero), true, reduction.op};
  })}};
}

ir::Block TaskValues::addUp(const std::vector<std::size_t>& reductions, int64_t columns) const {
  const bool areColumns = tasks_.areColumns();
  return tasks_.forResults(columns, [&](Value slot) {
    return forReductions(reductions, areColumns ? tasks_.lanes() : sumsEach(), [&](std::size_t i) {
      const Reduction& reduction = kernel_.nest().reductions[i];
      const Expr* sums = kernel_.vector(sums_[i], reduction.body->dtype, sumsOf(slot).expr());
      return ir::Store{kernel_.accumulator(i), slot.expr(), sums, areColumns, reduction.op};
    });
  });
}

ir::Block TaskValues::hoist(int traversal, int64_t columns) const {
  const auto isNeeded = [&](const auto& one) { return one.first.traversal == traversal; };
  if (std::none_of(hoisted_.begin(), hoisted_.end(), isNeeded)) return {};
  return tasks_.forResults(columns, [&](Value slot) {
    const LanePlace at = tasks_.first(slot);
    const LoadMap loads = readLanes(kernel_.pool(), kernel_.domain(), at, known(slot));
    ir::Lanes lanes = kernel_.lanes(at);
    for (const auto& one : hoisted_)
      if (isNeeded(one))
        lanes.stores.push_back(
            {one.second, slot.expr(), kernel_.domain().at(one.first.value, at.each, loads), tasks_.areColumns(), {}});
    return lanes;
  });
}

std::vector<ir::Store> TaskValues::hold(int traversal, const ElementVector& vector, const LoadMap& loads) const {
  std::vector<ir::Store> stores;
  for (const auto& [array, local] : held_)
    if (array.traversal == traversal)
      stores.push_back({local, vector.held.expr(), kernel_.domain().at(array.value, vector.at.each, loads), true, {}});
  return stores;
}

}  // namespace lowering
