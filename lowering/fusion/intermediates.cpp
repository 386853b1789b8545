#include "lowering/fusion/intermediates.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "ir/walk.h"
#include "lowering/fusion/realize.h"

namespace lowering {
namespace {

using ir::Expr;
using Exprs = std::vector<const Expr*>;

bool isReduce(const Expr* node) { return node->op == ir::Op::Reduce; }

std::vector<int64_t> extentsOf(const Exprs& axes) {
  std::vector<int64_t> extents;
  for (const Expr* axis : axes)
    if (axis->axis().extent > 1) extents.push_back(axis->axis().extent);
  return extents;
}

Exprs ownAxes(const Expr* reduce) { return {reduce->src.begin() + 1, reduce->src.end()}; }

/// Reductions inside another one whose axes they depend on.
std::set<const Expr*> innerOf(const Exprs& nodes) {
  std::set<const Expr*> inner;
  for (const Expr* outer : nodes) {
    if (!isReduce(outer)) continue;
    const Exprs own = ownAxes(outer);
    for (const Expr* node : ir::postorder({outer->src[0]})) {
      if (!isReduce(node)) continue;
      const Exprs free = ir::freeAxes({node});
      if (std::find_first_of(free.begin(), free.end(), own.begin(), own.end()) != free.end()) inner.insert(node);
    }
  }
  return inner;
}

/// Reductions over other axes than elements are stored for.
std::set<const Expr*> strangersOf(const Exprs& nodes, const Exprs& axes) {
  std::set<const Expr*> kept, strangers;
  for (const Expr* node : nodes) {
    if (!isReduce(node)) continue;
    const Exprs free = ir::freeAxes({node});
    kept.insert(free.begin(), free.end());
  }
  Exprs rest = axes;
  std::erase_if(rest, [&](const Expr* axis) { return kept.contains(axis); });
  const std::vector<int64_t> elements = extentsOf(rest);
  if (elements.empty()) return {};
  for (const Expr* node : nodes)
    if (isReduce(node) && extentsOf(ownAxes(node)) != elements) strangers.insert(node);
  return strangers;
}

/// The conditions that a load may have been guarded by last (readWhere): its mask, or the first of two.
Exprs guardsOf(const Expr* load) {
  if (!load->isMasked()) return {};
  const Expr* mask = load->src[1];
  return mask->op == ir::Op::And ? Exprs{mask, mask->src[0]} : Exprs{mask};
}

/// An expression as it was before all its loads were guarded by a condition; null where they are not.
const Expr* unguarded(ir::ExprPool& pool, const Expr* expr, const Expr* guard) {
  bool areGuarded = true;
  const Expr* bare = ir::rewrite(pool, expr, [&](const Expr* node) -> const Expr* {
    if (node->op != ir::Op::Load) return nullptr;
    const Exprs guards = guardsOf(node);
    if (std::find(guards.begin(), guards.end(), guard) == guards.end()) {
      areGuarded = false;
      return node;
    }
    const Expr* offset = ir::loadsIn({node->src[0]}).empty() ? node->src[0] : unguarded(pool, node->src[0], guard);
    areGuarded = areGuarded && offset != nullptr;
    if (!areGuarded) return node;
    if (node->src[1] == guard) return pool.load(node->load().buffer, node->dtype, offset, node->load().mode);
    const Expr* other = node->src[2];
    if (other->op == ir::Op::Where && other->src[0] == guard) other = other->src[1];
    return pool.load(node->load().buffer, offset, node->src[1]->src[1], other, node->load().mode);
  });
  return areGuarded ? bare : nullptr;
}

/// How many points an expression is computed at.
int64_t pointsOf(const Expr* expr) {
  int64_t points = 1;
  for (const Expr* axis : ir::freeAxes({expr})) points *= axis->axis().extent;
  return points;
}

}  // namespace

std::optional<Intermediates::Known> Intermediates::find(const Expr* reduce) const {
  const Exprs loads = ir::loadsIn({reduce});
  if (loads.empty()) return std::nullopt;  // of constants: no load says what guards it, and there is nothing to read twice
  if (const auto known = reductions_.elements.find(reduce); known != reductions_.elements.end())
    return Known{known->second, nullptr};
  const Exprs own = ownAxes(reduce);
  for (const Expr* guard : guardsOf(loads.back())) {
    if (std::any_of(own.begin(), own.end(), [&](const Expr* axis) { return ir::dependsOn(guard, axis); })) continue;
    const Expr* bare = unguarded(pool_, reduce, guard);
    std::optional<Known> known = bare == nullptr ? std::nullopt : find(bare);
    if (!known) continue;
    known->guard = known->guard == nullptr ? guard : pool_.make(ir::Op::And, {guard, known->guard});
    return known;
  }
  return std::nullopt;
}

std::set<const Expr*> Intermediates::recomputed(const Exprs& nodes) const {
  std::set<const Expr*> found;
  for (const Expr* node : nodes) {
    if (!isReduce(node)) continue;
    const std::optional<Known> known = find(node);
    if (known && pointsOf(node) > numelOf(reductions_.tensors[known->element.tensor].sizes)) found.insert(node);
  }
  return found;
}

bool Intermediates::separate(const Exprs& results, const Exprs& axes) {
  const Exprs nodes = ir::postorder(results);
  if (std::any_of(nodes.begin(), nodes.end(), [](const Expr* node) { return node->op == ir::Op::Scan; })) return false;
  std::set<const Expr*> apart = innerOf(nodes);
  if (apart.empty()) apart = strangersOf(nodes, axes);
  if (apart.empty()) apart = recomputed(nodes);
  const std::size_t before = values_.size();
  for (const Expr* node : nodes) {
    if (!apart.contains(node)) continue;
    if (const std::optional<Known> known = find(node)) add(known->element.tensor);
  }
  return values_.size() > before;
}

void Intermediates::add(std::size_t tensor) {
  if (std::find(tensors_.begin(), tensors_.end(), tensor) != tensors_.end()) return;
  const Tensor& reduced = reductions_.tensors[tensor];
  values_.push_back({fmt::format("partial{}", values_.size()), ir::TensorType::contiguous(reduced.dtype, reduced.sizes)});
  tensors_.push_back(tensor);
  reading_.clear();
}

const Expr* Intermediates::read(const Expr* expr, const ir::Shape& sizes) {
  return ir::rewrite(pool_, expr, [&](const Expr* node) -> const Expr* {
    if (!isReduce(node)) return nullptr;
    const std::optional<Known> known = find(node);
    if (!known) return nullptr;
    const Reductions::Element element = known->element;
    const auto found = std::find(tensors_.begin(), tensors_.end(), element.tensor);
    const auto number = static_cast<std::size_t>(found - tensors_.begin());
    if (found == tensors_.end() || values_[number].type.sizes == sizes) {
      const Expr* inside = reading(node, sizes);
      if (known->guard == nullptr) reductions_.elements.emplace(inside, element);
      return inside;
    }
    const ir::TensorType& type = values_[number].type;
    const auto buffer = static_cast<int>(first_ + number);
    const Expr* offset = offsetOf(pool_, type, element.index).expr();
    if (known->guard == nullptr) return pool_.load(buffer, type.dtype, offset);
    return pool_.load(buffer, offset, known->guard, pool_.integer(type.dtype, 0));
  });
}

const Expr* Intermediates::reading(const Expr* reduce, const ir::Shape& sizes) {
  const auto known = reading_.find({reduce, sizes});
  if (known != reading_.end()) return known->second;
  const Expr* made = pool_.reduce(reduce->reduction(), read(reduce->src[0], sizes), ownAxes(reduce));
  return reading_[{reduce, sizes}] = made;
}

const Expr* Intermediates::at(int value, const Index& index) {
  return reading(reductions_.tensors[tensors_.at(static_cast<std::size_t>(value) - first_)].at(index).expr(), sizes(value));
}

std::vector<ir::GraphValue> intermediatesOf(const ir::Graph& graph, std::span<const LoopNest> nests) {
  std::map<int, ir::GraphValue> found;
  for (const LoopNest& nest : nests)
    for (const ir::Buffer& buffer : nest.loops.buffers)
      if (buffer.value >= static_cast<int>(graph.values.size())) found[buffer.value] = {buffer.name, buffer.type};
  std::vector<ir::GraphValue> values;
  for (auto& [_, value] : found) values.push_back(std::move(value));
  return values;
}

}  // namespace lowering
