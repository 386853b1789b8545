#include "lowering/schedule/cuda/column_epilogue.h"

#include <algorithm>

#include "ir/walk.h"

namespace lowering {
namespace {

using ir::Expr;

/// Adds a buffer and returns its number.
int add(ir::Loops& loops, ir::Buffer buffer) {
  loops.buffers.push_back(std::move(buffer));
  return static_cast<int>(loops.buffers.size()) - 1;
}

}  // namespace

ColumnEpilogue::ColumnEpilogue(const MixedOrderReduction& matrix, const std::vector<ir::Local>& partialResults)
    : matrix_(matrix), nest_(matrix.alongColumns), pool_(*matrix.loops.pool), column_(number(0)) {
  const std::vector<Dim>& dims = matrix.domain.dims();
  for (std::size_t d = matrix.domain.elementDims(); d < dims.size(); ++d)
    for (const Expr* axis : dims[d].axes) column_ = column_ * axis->axis().extent + Value{pool_, axis};
  results_ = begin(nest_.kept);
  for (std::size_t i = 0; i < partialResults.size(); ++i) {
    const bool isSum = partialResults[i].space == ir::Space::Sums;
    isSum ? addSum(partialResults[i].buffer, nest_.reductions[i]) : addPartial(partialResults[i].buffer, nest_.reductions[i]);
  }
  for (const ir::StoreTo& store : nest_.rowStores) results_.stores.push_back({store.buffer, store.offset, withSums(store.value)});
  elements_ = begin(nest_.kept);
  elements_.axes.insert(elements_.axes.end(), nest_.reduced.begin(), nest_.reduced.end());
  for (const ir::StoreTo& store : nest_.elementStores) {
    const Expr* value = ir::rewrite(pool_, store.value, [&](const Expr* node) { return columnValue(node); });
    elements_.stores.push_back({store.buffer, store.offset, value});
  }
  rereadStored();
}

ir::Loops ColumnEpilogue::begin(const std::vector<const Expr*>& axes) const {
  return {matrix_.loops.name, matrix_.loops.pool, matrix_.loops.buffers, axes, {}};
}

void ColumnEpilogue::addPartial(const ir::Buffer& partial, const Reduction& reduction) {
  const int64_t ctas = partial.type.numel() / matrix_.columns();
  const int buffer = add(results_, {partial.name, partial.type, -1, true, false});
  const Expr* cta = pool_.axis(ctas);
  const Value offset = Value{pool_, cta} * matrix_.columns() + column_;
  sums_[reduction.result] = pool_.reduce(reduction.op, pool_.load(buffer, partial.type.dtype, offset.expr()), {cta});
}

void ColumnEpilogue::addSum(const ir::Buffer& sum, const Reduction& reduction) {
  const int buffer = add(results_, {sum.name, sum.type, -1, true, true});
  sums_[reduction.result] = pool_.load(buffer, sum.type.dtype, column_.expr());
  results_.stores.push_back({buffer, column_.expr(), pool_.identity(reduction.op, sum.type.dtype)});
}

const Expr* ColumnEpilogue::withSums(const Expr* value) const {
  return ir::rewrite(pool_, value, [&](const Expr* node) {
    const auto found = sums_.find(node);
    return found == sums_.end() ? nullptr : found->second;
  });
}

/// Bytes that are read for one element of values.
int64_t ColumnEpilogue::bytesOfElement(const std::vector<const Expr*>& values) const {
  int64_t bytes = 0;
  for (const Expr* load : ir::loadsIn(values)) {
    const auto moves = [&](const Expr* axis) { return ir::dependsOn(load, axis); };
    if (std::any_of(nest_.reduced.begin(), nest_.reduced.end(), moves) &&
        std::any_of(nest_.kept.begin(), nest_.kept.end(), moves))
      bytes += ir::sizeOf(load->dtype);
  }
  return bytes;
}

/// A value that loads a stored element wherever it would compute it.
const Expr* ColumnEpilogue::withStored(const Expr* value, const ir::StoreTo& known) const {
  return ir::rewrite(pool_, value, [&](const Expr* node) {
    return node == known.value ? pool_.load(known.buffer, node->dtype, known.offset) : nullptr;
  });
}

void ColumnEpilogue::rereadStored() {
  const auto values = [&] { return ir::storedValues(elements_.stores); };
  for (const ir::StoreTo& known : matrix_.alongRows.elementStores) {
    std::vector<ir::StoreTo> stores = elements_.stores;
    for (ir::StoreTo& store : stores) store.value = withStored(store.value, known);
    if (bytesOfElement(ir::storedValues(stores)) >= bytesOfElement(values())) continue;
    elements_.stores = std::move(stores);
    elements_.buffers[static_cast<std::size_t>(known.buffer)].isRead = true;
  }
}

/// What a column has once is computed with its results, and read where its elements need it.
const Expr* ColumnEpilogue::columnValue(const Expr* node) {
  const std::vector<const Expr*> below = ir::postorder({node});
  const bool needsSum = std::any_of(below.begin(), below.end(), [&](const Expr* x) { return sums_.contains(x); });
  const auto moves = [&](const Expr* axis) { return ir::dependsOn(node, axis); };
  if (!needsSum || std::any_of(nest_.reduced.begin(), nest_.reduced.end(), moves)) return nullptr;
  const auto [found, isNew] = values_.emplace(node, nullptr);
  if (!isNew) return found->second;
  names_.push_back("of_column" + std::to_string(names_.size()));
  const ir::TensorType type = ir::TensorType::contiguous(node->dtype, {matrix_.columns()});
  const int to = add(results_, {names_.back(), type, -1, false, true});
  results_.stores.push_back({to, column_.expr(), withSums(node)});
  const int from = add(elements_, {names_.back(), type, -1, true, false});
  found->second = pool_.load(from, node->dtype, column_.expr());
  return found->second;
}

}  // namespace lowering
