#include "lowering/analysis/iteration_domain.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "ir/error.h"
#include "ir/target.h"
#include "ir/value.h"
#include "ir/walk.h"

namespace lowering {
namespace {

using ir::Expr;
using ir::Value;

Access makeAccess(const ir::Loops& loops, int buffer, const Expr* node, const Expr* offset) {
  const ir::DType dtype = loops.buffers[buffer].type.dtype;
  return {buffer, ir::sizeOf(dtype), node, offset, ir::affine(offset), {}, {}, dtype};
}

/// Axes of more than one value, by falling stride of an offset: memory order. As they are where there is none.
std::vector<const Expr*> memoryOrder(const std::vector<const Expr*>& all, const ir::Affine* offset) {
  std::vector<const Expr*> axes = runningAxes(all);
  if (offset != nullptr) {
    std::stable_sort(axes.begin(), axes.end(),
                     [&](const Expr* a, const Expr* b) { return std::abs(offset->of(a)) > std::abs(offset->of(b)); });
  }
  return axes;
}

/// The parts of an offset whose row is a number in memory. The offset is affine along all axes but those at which that number
/// is read. Nothing where a reduction's result names the row: every axis of the rows changes it, though it is read at none.
std::optional<MixedOffset> rowFromMemory(const ir::Loops& loops, const Expr* offset) {
  std::optional<MixedOffset> mixed = mixedOffset(*loops.pool, offset);
  const std::vector<const Expr*> read = mixed ? ir::loadsIn({mixed->rest}) : std::vector<const Expr*>();
  const auto isInMemory = [&](const Expr* load) { return load->load().buffer < static_cast<int>(loops.buffers.size()); };
  if (read.empty() || !std::all_of(read.begin(), read.end(), isInMemory)) return std::nullopt;
  const auto& steps = mixed->linear.coefficients;
  const auto isApart = [&](const auto& step) { return !ir::dependsOn(mixed->rest, step.first); };
  return std::any_of(steps.begin(), steps.end(), isApart) ? mixed : std::nullopt;
}

/// The axis along which an offset has the smallest stride but 0; null where it does not move.
const Expr* fastest(const std::vector<const Expr*>& all, const ir::Affine& offset) {
  const Expr* best = nullptr;
  for (const Expr* axis : all) {
    const int64_t stride = std::abs(offset.of(axis));
    if (axis->axis().extent > 1 && stride != 0 && (best == nullptr || stride < std::abs(offset.of(best)))) best = axis;
  }
  return best;
}

/// The smallest stride but 0 along any of the axes; 0 if there is none.
int64_t leastStep(const std::vector<const Expr*>& axes, const ir::Affine& offset) {
  const Expr* axis = fastest(axes, offset);
  return axis == nullptr ? 0 : std::abs(offset.of(axis));
}

/// What is not affine of an access's offset; null where all is.
const Expr* indirection(const Access& access) {
  return access.form ? nullptr : access.mixed ? access.mixed->rest : access.offset;
}

/// The operand that is a place: a load's offset, a random word's index.
std::size_t placeOperand(const Expr* node) { return node->op == ir::Op::Philox ? 2 : 0; }

/// Axes that values are computed from, and not only places: merged, they would have to be divided out again.
std::set<const Expr*> axesInValues(const std::vector<const Expr*>& values, const std::vector<Access>& places) {
  std::map<const Expr*, const Expr*> indirections;
  for (const Access& access : places) indirections[access.node] = indirection(access);
  std::set<const Expr*> seen, axes;
  std::vector<const Expr*> left = values;
  while (!left.empty()) {
    const Expr* node = left.back();
    left.pop_back();
    if (!seen.insert(node).second) continue;
    if (node->op == ir::Op::Axis) axes.insert(node);
    const auto place = indirections.find(node);
    if (place != indirections.end() && place->second != nullptr) left.push_back(place->second);
    for (std::size_t i = 0; i < node->src.size(); ++i)
      if (place == indirections.end() || i != placeOperand(node)) left.push_back(node->src[i]);
  }
  return axes;
}

}  // namespace

IterationDomain::IterationDomain(const ir::Loops& loops) : pool_(loops.pool) {
  addAccesses(loops, loops.stores, ir::rootsOf(loops.stores));
  for (std::vector<Access>* accesses : {&stores_, &loads_})
    for (Access& access : *accesses)
      if (!access.form) access.mixed = mixedOffset(*pool_, access.offset);
  std::vector<const Expr*> values;
  for (std::size_t i = 0; i < stores_.size(); ++i) {
    values.push_back(loops.stores[i].value);
    if (const Expr* place = indirection(stores_[i])) values.push_back(place);
  }
  addDims(memoryOrder(loops.axes, stores_.front().form ? &*stores_.front().form : nullptr), values);
}

IterationDomain::IterationDomain(const ir::Loops& loops, const ReductionNest& nest) : pool_(loops.pool) {
  addNest(loops, nest, nullptr);
}

IterationDomain::IterationDomain(const ir::Loops& loops, const ReductionNest& nest, const ir::StoreTo& order)
    : pool_(loops.pool) {
  addNest(loops, nest, &order);
}

void IterationDomain::addNest(const ir::Loops& loops, const ReductionNest& nest, const ir::StoreTo* order) {
  std::vector<ir::StoreTo> stores = nest.rowStores;
  stores.insert(stores.end(), nest.elementStores.begin(), nest.elementStores.end());
  std::vector<const Expr*> values;
  for (const Reduction& reduction : nest.reductions) values.push_back(reduction.body);
  for (const ir::StoreTo& store : stores) values.push_back(store.value);
  addAccesses(loops, stores, values);
  for (std::vector<Access>* accesses : {&stores_, &loads_})
    for (Access& access : *accesses)
      if (!access.form) access.mixed = rowFromMemory(loops, access.offset);
  const Access first = order == nullptr ? leading(nest) : makeAccess(loops, order->buffer, nullptr, order->offset);
  std::vector<const Expr*> kept = memoryOrder(nest.kept, first.linear());
  const std::vector<const Expr*> reduced = memoryOrder(nest.reduced, first.linear());
  if (first.linear() != nullptr) {
    const int64_t alongElements = leastStep(reduced, *first.linear()), alongRows = leastStep(kept, *first.linear());
    runsAlongElements_ = alongRows == 0 || (alongElements != 0 && alongElements <= alongRows);
    // Columns lie side by side in the access that leads: what it does not depend on repeats them.
    const auto repeats = [&](const Expr* axis) { return first.linear()->of(axis) == 0; };
    if (!runsAlongElements_) std::stable_partition(kept.begin(), kept.end(), repeats);
  }
  addDims(kept, values);
  elementDims_ = dims_.size();
  addDims(reduced, values);
}

void IterationDomain::addAccesses(const ir::Loops& loops, const std::vector<ir::StoreTo>& stores,
                                  const std::vector<const Expr*>& values) {
  for (const ir::StoreTo& store : stores) {
    stores_.push_back(makeAccess(loops, store.buffer, nullptr, store.offset));
    stores_.back().accumulate = store.accumulate;
  }
  for (const Expr* node : ir::postorder(values)) {
    const bool isLoad = node->op == ir::Op::Load && node->load().buffer < static_cast<int>(loops.buffers.size());
    if (isLoad) loads_.push_back(makeAccess(loops, node->load().buffer, node, node->src[0]));
    if (node->op != ir::Op::Philox) continue;
    const Access draw{-1, 0, node, node->src[2], ir::affine(node->src[2]), {}};
    if (draw.form) draws_.push_back(draw);
  }
}

const Access& IterationDomain::leading(const ReductionNest& nest) const {
  std::vector<const Expr*> axes = nest.kept;
  axes.insert(axes.end(), nest.reduced.begin(), nest.reduced.end());
  std::vector<const Access*> all;
  for (const std::vector<Access>* accesses : {&loads_, &stores_})
    for (const Access& access : *accesses)
      if (access.linear() != nullptr) all.push_back(&access);
  if (all.empty()) return stores_.front();
  const auto bytes = [&](const Access* access) {
    int64_t moved = access->elementBytes;
    for (const Expr* axis : axes) moved *= access->linear()->of(axis) != 0 || access->isIndirect(axis) ? axis->axis().extent : 1;
    return moved;
  };
  std::map<const Expr*, int64_t> along;  // what all accesses move that have an axis as their fastest, and share lines along it
  for (const Access* access : all)
    if (leastStep(axes, *access->linear()) * access->elementBytes < ir::Target::lineBytes)
      along[fastest(axes, *access->linear())] += bytes(access);
  for (const Expr* axis : nest.kept) along[axis] += along[axis] / 8;
  return **std::max_element(all.begin(), all.end(), [&](const Access* a, const Access* b) {
    return std::pair(along[fastest(axes, *a->linear())], bytes(a)) < std::pair(along[fastest(axes, *b->linear())], bytes(b));
  });
}

/// Adds dims for axes in memory order, of one value if there are none.
void IterationDomain::addDims(const std::vector<const Expr*>& axes, const std::vector<const Expr*>& values) {
  const std::size_t begin = dims_.size();
  std::vector<Access> places = loads_;
  places.insert(places.end(), draws_.begin(), draws_.end());
  const std::set<const Expr*> kept = axesInValues(values, places);
  const auto runsOn = [&](const Access& access, const Expr* outer, const Expr* inner) {
    const ir::Affine* linear = access.linear();
    return linear == nullptr || linear->of(outer) == linear->of(inner) * inner->axis().extent;
  };
  const auto mergeable = [&](const Expr* outer, const Expr* inner) {
    const auto all = [&](const std::vector<Access>& accesses) {
      return std::all_of(accesses.begin(), accesses.end(), [&](const Access& a) { return runsOn(a, outer, inner); });
    };
    return !kept.contains(outer) && !kept.contains(inner) && all(stores_) && all(places);
  };
  for (const Expr* axis : axes) {
    if (dims_.size() > begin && mergeable(dims_.back().axes.back(), axis)) {
      dims_.back().axes.push_back(axis);
      dims_.back().extent *= axis->axis().extent;
    } else {
      dims_.push_back({axis->axis().extent, {axis}});
    }
  }
  if (dims_.size() == begin) dims_.push_back({1, {pool_->axis(1)}});
}

bool IterationDomain::isInPlace() const {
  return std::any_of(loads_.begin(), loads_.end(), [&](const Access& load) {
    return std::any_of(stores_.begin(), stores_.end(), [&](const Access& store) { return store.buffer == load.buffer; });
  });
}

int64_t IterationDomain::numel(std::size_t begin, std::size_t end) const {
  int64_t count = 1;
  for (std::size_t d = begin; d < end; ++d) count *= dims_[d].extent;
  return count;
}

bool IterationDomain::isFlat(const Access& access, int lanes) const {
  if (!access.form || access.form->constant % lanes != 0) return false;
  int64_t expected = 1;
  for (std::size_t d = dims_.size(); d-- > 0; expected *= dims_[d].extent) {
    if (stride(access, d) != expected) return false;
  }
  return true;
}

bool IterationDomain::isIndirect(const Access& access, std::size_t dim) const {
  const std::vector<const Expr*>& axes = dims_[dim].axes;
  return std::any_of(axes.begin(), axes.end(), [&](const Expr* axis) { return access.isIndirect(axis); });
}

bool IterationDomain::isAligned(const Access& access, int lanes, std::size_t dim) const {
  if (access.linear() == nullptr || access.linear()->constant % lanes != 0) return false;
  if (access.mixed && access.mixed->step % lanes != 0) return false;
  for (std::size_t d = 0; d < dims_.size(); ++d) {
    if (d != dim && stride(access, d) % lanes != 0) return false;
  }
  return true;
}

bool IterationDomain::moves(const Access& access, std::size_t begin, std::size_t end) const {
  if (access.linear() == nullptr) return true;
  for (std::size_t d = begin; d < end; ++d) {
    if (stride(access, d) != 0 || isIndirect(access, d)) return true;
  }
  return false;
}

bool IterationDomain::isMaskedAlong(const Access& load, std::size_t begin, std::size_t end) const {
  const auto isMaskedBy = [&](const Expr* axis) {
    return ir::dependsOn(load.node->src[1], axis) || ir::dependsOn(load.node->src[2], axis);
  };
  for (std::size_t d = begin; load.isMasked() && d < end; ++d)
    if (std::any_of(dims_[d].axes.begin(), dims_[d].axes.end(), isMaskedBy)) return true;
  return false;
}

bool IterationDomain::accumulates() const {
  return std::any_of(stores_.begin(), stores_.end(), [](const Access& store) { return store.accumulate.has_value(); });
}

const Expr* IterationDomain::offset(const Access& access, const Position& position, const LoadMap& loads) const {
  const ir::Affine* linear = access.linear();
  if (linear == nullptr) return at(access.offset, position, loads);
  Value sum{*pool_, pool_->integer(ir::DType::I64, linear->constant)};
  for (std::size_t d = 0; d < dims_.size(); ++d) {
    const Value step{*pool_, pool_->integer(ir::DType::I64, stride(access, d))};
    sum = sum + Value{*pool_, position[d]} * step;
  }
  if (access.mixed) sum = Value{*pool_, at(access.mixed->rest, position, loads)} + sum;
  return sum.expr();
}

const Expr* IterationDomain::load(const Access& access, const Expr* offset, ir::LoadMode mode, const Position& position,
                                  const LoadMap& loads) const {
  if (!access.isMasked()) return pool_->load(access.buffer, access.node->dtype, offset, mode);
  const Expr *mask = at(access.node->src[1], position, loads), *other = at(access.node->src[2], position, loads);
  return pool_->load(access.buffer, offset, mask, other, mode);
}

const Expr* IterationDomain::copied(const Access& access, const Expr* copy, const Position& position,
                                    const LoadMap& loads) const {
  if (!access.isMasked()) return copy;
  const Expr *mask = at(access.node->src[1], position, loads), *other = at(access.node->src[2], position, loads);
  return pool_->make(ir::Op::Where, {mask, copy, other});
}

const Expr* IterationDomain::at(const Expr* expr, const Position& position, const LoadMap& loads) const {
  return ir::rewrite(*pool_, expr, [&](const Expr* node) -> const Expr* {
    if (node->op == ir::Op::Axis) return axisAt(node, position);
    if (auto found = loads.find(node); found != loads.end()) return found->second;
    const auto draw = std::find_if(draws_.begin(), draws_.end(), [&](const Access& one) { return one.node == node; });
    if (draw == draws_.end()) return nullptr;
    const auto operand = [&](std::size_t i) { return at(node->src[i], position, loads); };
    return pool_->make(ir::Op::Philox, {operand(0), operand(1), offset(*draw, position)});
  });
}

const Expr* IterationDomain::axisAt(const Expr* axis, const Position& position) const {
  for (std::size_t d = 0; d < dims_.size(); ++d) {
    const auto& axes = dims_[d].axes;
    const auto found = std::find(axes.begin(), axes.end(), axis);
    if (found == axes.end()) continue;
    int64_t below = 1;
    for (auto inner = found + 1; inner != axes.end(); ++inner) below *= (*inner)->axis().extent;
    Value index = Value{*pool_, position[d]};
    if (below > 1) index = floorDiv(index, below);
    if (found != axes.begin()) index = mod(index, axis->axis().extent);
    return index.expr();
  }
  return pool_->integer(ir::DType::I64, 0);  // an axis of one value
}

Position IterationDomain::unflatten(const Expr* number, std::size_t begin, std::size_t end) const {
  Position position(end - begin);
  Value rest{*pool_, number};
  for (std::size_t d = end; d-- > begin;) {
    const int64_t extent = dims_[d].extent;
    position[d - begin] = d == begin ? rest.expr() : mod(rest, extent).expr();
    if (d > begin) rest = floorDiv(rest, extent);
  }
  return position;
}

}  // namespace lowering
