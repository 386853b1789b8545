#include "lowering/analysis/reduction_nest.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "ir/error.h"
#include "ir/walk.h"

namespace lowering {
namespace {

using ir::Expr;
using ir::Op;

using Axes = std::vector<const Expr*>;

/// The axes of more than one value that each node depends on and does not bind itself.
class FreeAxes {
 public:
  explicit FreeAxes(const std::vector<const Expr*>& roots) {
    for (const Expr* node : ir::postorder(roots)) of_[node] = collect(node);
  }
  const Axes& of(const Expr* node) const { return of_.at(node); }

 private:
  Axes collect(const Expr* node) const {
    if (node->op == Op::Axis) return node->axis().extent > 1 ? Axes{node} : Axes();
    Axes axes;
    const auto end = node->op == Op::Reduce ? node->src.begin() + 1 : node->src.end();
    for (auto x = node->src.begin(); x != end; ++x)
      for (const Expr* axis : of_.at(*x))
        if (std::find(axes.begin(), axes.end(), axis) == axes.end()) axes.push_back(axis);
    for (auto own = end; own != node->src.end(); ++own) std::erase(axes, *own);
    return axes;
  }

  std::unordered_map<const Expr*, Axes> of_;  ///< each axis once
};

Axes ownAxes(const Expr* reduce) {
  Axes axes;
  for (auto axis = reduce->src.begin() + 1; axis != reduce->src.end(); ++axis)
    if ((*axis)->axis().extent != 1) axes.push_back(*axis);
  return axes;
}

bool sameExtents(const Axes& a, const Axes& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Expr* x, const Expr* y) { return x->axis().extent == y->axis().extent; });
}

class NestBuilder {
 public:
  explicit NestBuilder(const ir::Loops& loops)
      : loops_(loops), pool_(*loops.pool), nodes_(ir::postorder(ir::rootsOf(loops.stores))), free_(ir::rootsOf(loops.stores)) {}

  std::optional<ReductionNest> build() {
    for (const Expr* node : nodes_)
      if (node->isCombining()) reduces_.push_back(node);
    if (reduces_.empty()) return std::nullopt;
    nest_.scans = std::any_of(reduces_.begin(), reduces_.end(), [](const Expr* node) { return node->op == Op::Scan; });
    nest_.scans ? findScanned() : findAxes();
    for (const ir::StoreTo& store : loops_.stores)
      if (store.accumulate) refuse("accumulates what it reduces");
    for (const Expr* reduce : reduces_) add(reduce);
    for (const ir::StoreTo& store : loops_.stores) add(store);
    return std::move(nest_);
  }

 private:
  [[noreturn]] void refuse(const char* why) const { ir::fail(ir::ErrorKind::Unsupported, "{} {}", loops_.name, why); }

  /// Kept are the axes that reductions depend on; the others run along with the reductions' own, which they stand for if
  /// anything is stored for them.
  void findAxes() {
    std::set<const Expr*> kept;
    for (const Expr* reduce : reduces_) kept.insert(free_.of(reduce).begin(), free_.of(reduce).end());
    Axes rest;
    for (const Expr* axis : loops_.axes) {
      if (axis->axis().extent == 1) continue;
      (kept.contains(axis) ? nest_.kept : rest).push_back(axis);
      kept.erase(axis);
    }
    if (!kept.empty()) refuse("has a reduction inside the axes of another one");
    const Axes own = ownAxes(reduces_.front());
    for (const Expr* reduce : reduces_)
      if (!sameExtents(own, ownAxes(reduce))) refuse("has reductions over different axes");
    nest_.reduced = rest.empty() ? own : rest;
    if (!sameExtents(own, nest_.reduced)) refuse("stores elements that are not those it reduces over");
  }

  /// Kept are all axes but the one that is scanned.
  void findScanned() {
    const Expr* const scanned = reduces_.front()->src[1];
    for (const Expr* scan : reduces_)
      if (scan->op != Op::Scan || scan->src[1] != scanned) refuse("has scans over different axes, or beside reductions");
    for (const Expr* scan : reduces_) {
      const std::vector<const Expr*> body = ir::postorder({scan->src[0]});
      if (std::any_of(body.begin(), body.end(), [](const Expr* node) { return node->isCombining(); }))
        refuse("has a scan of a scan");
    }
    for (const Expr* axis : loops_.axes)
      if (axis != scanned && axis->axis().extent > 1) nest_.kept.push_back(axis);
    nest_.reduced = {scanned};
  }

  /// `expr` with the reductions before it as their results, and axes replaced.
  const Expr* plain(const Expr* expr, const Axes& own) const {
    return ir::rewrite(pool_, expr, [&](const Expr* node) -> const Expr* {
      if (const auto known = results_.find(node); known != results_.end()) return known->second;
      const auto axis = std::find(own.begin(), own.end(), node);
      return axis == own.end() ? nullptr : nest_.reduced[static_cast<std::size_t>(axis - own.begin())];
    });
  }

  void add(const Expr* reduce) {
    const auto number = static_cast<int>(loops_.buffers.size() + nest_.reductions.size());
    const Expr* body = plain(reduce->src[0], ownAxes(reduce));
    // Two reductions that differ in their axes alone are one.
    for (const Reduction& known : nest_.reductions) {
      if (known.body != body || known.op != reduce->reduction()) continue;
      results_[reduce] = known.result;
      return;
    }
    const Expr* result = pool_.load(number, reduce->dtype, pool_.integer(ir::DType::I64, 0));
    nest_.reductions.push_back({reduce->reduction(), body, result, nest_.traversalOf(body)});
    results_[reduce] = result;
  }

  void add(const ir::StoreTo& store) {
    std::set<const Expr*> axes(free_.of(store.offset).begin(), free_.of(store.offset).end());
    axes.insert(free_.of(store.value).begin(), free_.of(store.value).end());
    for (const Expr* axis : nest_.kept)
      if (axes.erase(axis) == 0) refuse("stores a result for some of the axes that its reductions depend on");
    if (!axes.empty() && axes.size() != nest_.reduced.size()) refuse("stores elements for some of the axes it reduces over");
    if (axes.empty() && nest_.scans) refuse("stores what a row has once beside a scan");
    std::vector<ir::StoreTo>& stores = axes.empty() ? nest_.rowStores : nest_.elementStores;
    stores.push_back({store.buffer, store.offset, plain(store.value, {})});
  }

  const ir::Loops& loops_;
  ir::ExprPool& pool_;
  std::vector<const Expr*> nodes_;
  FreeAxes free_;
  std::vector<const Expr*> reduces_;
  std::map<const Expr*, const Expr*> results_;
  ReductionNest nest_;
};

}  // namespace

std::vector<const Expr*> runningAxes(const std::vector<const Expr*>& axes) {
  std::vector<const Expr*> running;
  std::copy_if(axes.begin(), axes.end(), std::back_inserter(running), [](const Expr* axis) { return axis->axis().extent > 1; });
  return running;
}

int ReductionNest::traversals() const {
  int traversals = 0;
  for (const Reduction& reduction : reductions) traversals = std::max(traversals, reduction.traversal + 1);
  return traversals;
}

int ReductionNest::traversalOf(const Expr* value) const {
  int traversal = 0;
  for (const Expr* node : ir::postorder({value})) {
    const auto needed = std::find_if(reductions.begin(), reductions.end(), [&](const Reduction& r) { return r.result == node; });
    if (needed != reductions.end()) traversal = std::max(traversal, needed->traversal + 1);
  }
  return traversal;
}

int ReductionNest::storingTraversal() const {
  int traversal = 0;
  for (const ir::StoreTo& store : elementStores) traversal = std::max(traversal, traversalOf(store.value));
  return traversal;
}

std::optional<ReductionNest> reductionNestOf(const ir::Loops& loops) { return NestBuilder(loops).build(); }

}  // namespace lowering
