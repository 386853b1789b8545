#include "lowering/fusion/join_loops.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>

#include "ir/walk.h"
#include "lowering/fusion/edit_loops.h"

namespace lowering {
namespace {

using ir::Expr;
using Axes = std::vector<const Expr*>;

/// The axes of the points that loops go over, the axes of their reductions among them.
Axes pointsOf(const LoopNest& nest) {
  if (!nest.reduction) return runningAxes(nest.loops.axes);
  Axes axes = nest.reduction->kept;
  axes.insert(axes.end(), nest.reduction->reduced.begin(), nest.reduction->reduced.end());
  return axes;
}

/// Whether loops store something at every point, so that these axes are axes of the loops.
bool storesElements(const LoopNest& nest) { return !nest.reduction || !nest.reduction->elementStores.empty(); }

bool contains(const Axes& axes, const Expr* axis) { return std::find(axes.begin(), axes.end(), axis) != axes.end(); }

/// Whether every store depends on all of the axes.
bool storeAt(const ir::Loops& loops, const Axes& axes) {
  return std::all_of(loops.stores.begin(), loops.stores.end(), [&](const ir::StoreTo& store) {
    const Axes free = ir::freeAxes({store.offset, store.value});
    return std::all_of(axes.begin(), axes.end(), [&](const Expr* axis) { return contains(free, axis); });
  });
}

/// The extents of neighbouring axes that together have so many points, of one axis if there is such a one; none where there are
/// no such axes.
std::vector<int64_t> extentsIn(const Axes& axes, int64_t points) {
  for (std::size_t count = 1; count <= axes.size(); ++count) {
    for (std::size_t begin = 0; begin + count <= axes.size(); ++begin) {
      std::vector<int64_t> extents;
      for (std::size_t i = begin; i < begin + count; ++i) extents.push_back(axes[i]->axis().extent);
      if (std::accumulate(extents.begin(), extents.end(), int64_t{1}, std::multiplies<>()) == points) return extents;
    }
  }
  return {};
}

/// An axis of a nest's points as the loops have it: itself, or those at its place in the reductions that it stands for.
std::set<const Expr*> axesAt(const LoopNest& nest, const Expr* axis) {
  std::set<const Expr*> axes{axis};
  if (!nest.reduction) return axes;
  const Axes& reduced = nest.reduction->reduced;
  const auto place = static_cast<std::size_t>(std::find(reduced.begin(), reduced.end(), axis) - reduced.begin());
  if (place == reduced.size()) return axes;
  for (const Expr* node : ir::postorder(ir::storedValues(nest.loops.stores)))
    if (node->op == ir::Op::Reduce) axes.insert(runningAxes({node->src.begin() + 1, node->src.end()})[place]);
  return axes;
}

/// Joins two loops: the guest's move to the axes of the host.
class Joiner {
 public:
  Joiner(const LoopNest& first, const LoopNest& second, const std::set<int>& temporaries)
      : first_(first),
        second_(second),
        temporaries_(temporaries),
        isHostFirst_(storesElements(first) || !storesElements(second)),
        host_(isHostFirst_ ? first : second),
        guest_(isHostFirst_ ? second : first) {}

  std::optional<JoinedLoops> join() {
    if (host_.loops.pool != guest_.loops.pool || host_.hasScans() || guest_.hasScans()) return {};
    if (host_.domain.accumulates() || guest_.domain.accumulates()) return {};
    if (!chooseNames() || !findHandedOn()) return {};
    JoinedLoops joined{{host_.loops.name, host_.loops.pool, host_.loops.buffers, host_.loops.axes, {}}, savedBytes()};
    joined.loops.stores = move(joined.loops);
    if (!keepsAxes(joined.loops)) return {};
    removeUnused(joined.loops);
    return joined;
  }

 private:
  /// Whether an access of the guest is the same as one of the host.
  bool isSame(const Access& guest, const Access& host) const {
    if (guest_.valueOf(guest.buffer) != host_.valueOf(host.buffer) || !guest.form || !host.form) return false;
    if (guest.isMasked() != host.isMasked()) return false;
    for (std::size_t i = 1; guest.isMasked() && i < host.node->src.size(); ++i)
      if (rename(guest.node->src[i], names_) != host.node->src[i]) return false;
    if (guest.form->constant != host.form->constant || guest.form->coefficients.size() != host.form->coefficients.size())
      return false;
    return std::all_of(guest.form->coefficients.begin(), guest.form->coefficients.end(), [&](const auto& term) {
      const auto name = names_.find(term.first);
      return name != names_.end() && host.form->of(name->second) == term.second;
    });
  }
  bool isSameInOrder(const Access& first, const Access& second) const {
    return isHostFirst_ ? isSame(second, first) : isSame(first, second);
  }

  /// Maps the guest's axes to the host's by the accesses of both, so that most is saved.
  bool chooseNames() {
    const Axes points = pointsOf(host_), ofGuest = pointsOf(guest_);
    if (ofGuest.size() != points.size()) return false;
    Renaming best;
    int64_t most = 0;
    const auto propose = [&](const std::vector<Access>& accesses, const std::vector<Access>& hosts) {
      for (const Access& guest : accesses) {
        for (const Access& host : hosts) {
          if (guest_.valueOf(guest.buffer) != host_.valueOf(host.buffer) || !guest.form || !host.form) continue;
          std::optional<Renaming> names = renaming(*guest.form, *host.form);
          if (names) addRest(*names, ofGuest, points);
          if (!names || *names == best || !areThese(*names, ofGuest, points)) continue;
          names_ = *names;
          const int64_t saved = isOneDomain() ? savedBytes() : 0;
          if (saved <= most) continue;
          most = saved;
          best = *names;
        }
      }
    };
    propose(guest_.domain.loads(), host_.domain.loads());
    if (isHostFirst_)
      propose(guest_.domain.loads(), host_.domain.stores());
    else
      propose(guest_.domain.stores(), host_.domain.loads());
    names_ = best;
    return most > 0;
  }

  /// Names the axes along which the accesses do not move in their order, where they have the same extents.
  static void addRest(Renaming& names, const Axes& from, const Axes& to) {
    std::set<const Expr*> taken;
    for (const auto& [_, name] : names) taken.insert(name);
    auto next = to.begin();
    for (const Expr* axis : from) {
      if (names.contains(axis)) continue;
      while (next != to.end() && taken.contains(*next)) ++next;
      if (next == to.end() || (*next)->axis().extent != axis->axis().extent) return;
      names[axis] = *next++;
    }
  }
  /// Whether all of the axes `from`, and no others, have become the axes `to`.
  static bool areThese(const Renaming& names, const Axes& from, const Axes& to) {
    return names.size() == from.size() && std::all_of(from.begin(), from.end(), [&](const Expr* axis) {
             const auto name = names.find(axis);
             return name != names.end() && contains(to, name->second);
           });
  }
  /// Whether reductions keep and reduce the same axes, in the same order, and all else is stored at every point of these.
  bool isOneDomain() const {
    if (!guest_.reduction) return !host_.reduction || storeAt(guest_.loops, pointsOf(guest_));
    if (!host_.reduction && !storeAt(host_.loops, pointsOf(host_))) return false;
    Axes kept, reduced;
    for (const Expr* axis : guest_.reduction->kept) kept.push_back(names_.at(axis));
    for (const Expr* axis : guest_.reduction->reduced) reduced.push_back(names_.at(axis));
    if (host_.reduction) return reduced == host_.reduction->reduced;
    Axes rest = pointsOf(host_);
    std::erase_if(rest, [&](const Expr* axis) { return contains(kept, axis); });
    return reduced == rest;
  }

  /// The values that the first loops store for the second; whether these can have them, and write nothing that the first know.
  bool findHandedOn() {
    for (const ir::Buffer& one : first_.loops.buffers) {
      for (const ir::Buffer& other : second_.loops.buffers) {
        if (one.value != other.value || (!one.isWritten && !other.isWritten) || (one.isPart && other.isPart)) continue;
        if (other.isWritten || one.isRead || !isReadWhereStored(one.value)) return false;
        handedOn_.insert(one.value);
      }
    }
    return true;
  }
  bool isReadWhereStored(int value) const {
    const auto ofValue = [&](const LoopNest& nest, const std::vector<Access>& all) {
      std::vector<Access> found;
      std::copy_if(all.begin(), all.end(), std::back_inserter(found),
                   [&](const Access& access) { return nest.valueOf(access.buffer) == value; });
      return found;
    };
    const std::vector<Access> stores = ofValue(first_, first_.domain.stores()), loads = ofValue(second_, second_.domain.loads());
    return stores.size() == 1 &&
           std::all_of(loads.begin(), loads.end(), [&](const Access& load) { return isSameInOrder(stores.front(), load); });
  }

  /// Of the tensors that both loops read alike, and of values that the second ones read where the first store them.
  int64_t savedBytes() const {
    std::map<int, int64_t> bytes;  // by value
    for (const Access& second : second_.domain.loads()) {
      const ir::Buffer& buffer = second_.loops.buffers[static_cast<std::size_t>(second.buffer)];
      const auto isShared = [&](const std::vector<Access>& all) {
        return std::any_of(all.begin(), all.end(), [&](const Access& first) { return isSameInOrder(first, second); });
      };
      if (isShared(first_.domain.loads())) bytes[buffer.value] = buffer.type.bytesTouched();
      if (isShared(first_.domain.stores()))
        bytes[buffer.value] = buffer.type.bytesTouched() * (temporaries_.contains(buffer.value) ? 2 : 1);
    }
    int64_t sum = 0;
    for (const auto& [_, one] : bytes) sum += one;
    return sum;
  }

  /// The stores of both as stores of `loops`, which has the buffers of the host: the host's, then the guest's.
  std::vector<ir::StoreTo> move(ir::Loops& loops) {
    std::vector<ir::StoreTo> ofFirst = moveAll(loops, first_), ofSecond = moveAll(loops, second_);
    std::erase_if(ofFirst, [&](const ir::StoreTo& store) {
      const int value = loops.buffers[static_cast<std::size_t>(store.buffer)].value;
      return handedOn_.contains(value) && temporaries_.contains(value);
    });
    std::vector<ir::StoreTo>& ofHost = isHostFirst_ ? ofFirst : ofSecond;
    const std::vector<ir::StoreTo>& ofGuest = isHostFirst_ ? ofSecond : ofFirst;
    ofHost.insert(ofHost.end(), ofGuest.begin(), ofGuest.end());
    return ofHost;
  }
  std::vector<ir::StoreTo> moveAll(ir::Loops& loops, const LoopNest& nest) {
    std::vector<ir::StoreTo> stores;
    for (const ir::StoreTo& store : nest.loops.stores) {
      const int buffer = bufferIn(loops, nest.loops.buffers[static_cast<std::size_t>(store.buffer)]);
      stores.push_back({buffer, moveExpr(loops, nest, store.offset, {}), moveExpr(loops, nest, store.value, {})});
      const int value = loops.buffers[static_cast<std::size_t>(buffer)].value;
      if (&nest == &first_ && handedOn_.contains(value)) stored_[value] = stores.back().value;
    }
    return stores;
  }
  /// `own` are the axes of the reduction that the expression is in.
  const Expr* moveExpr(ir::Loops& loops, const LoopNest& nest, const Expr* expr, const Axes& own) {
    ir::ExprPool& pool = *loops.pool;
    return ir::rewrite(pool, expr, [&](const Expr* node) -> const Expr* {
      if (node->op == ir::Op::Reduce) return moveReduce(loops, nest, node);
      if (node->op == ir::Op::Load) {
        const ir::Buffer& buffer = nest.loops.buffers[static_cast<std::size_t>(node->load().buffer)];
        if (&nest == &second_ && handedOn_.contains(buffer.value)) return storedValue(buffer.value, own);
        return ir::movedLoad(pool, node, bufferIn(loops, buffer),
                             [&](const Expr* operand) { return moveExpr(loops, nest, operand, own); });
      }
      const auto name = names_.find(node);
      return &nest == &guest_ && name != names_.end() && !contains(own, node) ? name->second : nullptr;
    });
  }
  /// Whatever reduction this one is in.
  const Expr* moveReduce(ir::Loops& loops, const LoopNest& nest, const Expr* node) {
    if (const auto known = moved_.find({&nest, node}); known != moved_.end()) return known->second;
    const Axes axes(node->src.begin() + 1, node->src.end());
    const Expr* body = moveExpr(loops, nest, node->src[0], runningAxes(axes));
    const Expr* reduce = loops.pool->reduce(node->reduction(), body, axes);
    if (&nest == &first_ && !handedOn_.empty()) reduce = withAxesOfItsOwn(reduce);
    return moved_[{&nest, node}] = reduce;
  }
  /// A reduction over axes that no other one has, so that it can take the place of a load inside any.
  const Expr* withAxesOfItsOwn(const Expr* reduce) {
    Renaming names;
    for (auto axis = reduce->src.begin() + 1; axis != reduce->src.end(); ++axis) {
      const Expr*& fresh = fresh_[*axis];
      if (fresh == nullptr) fresh = host_.loops.pool->axis((*axis)->axis().extent);
      names[*axis] = fresh;
    }
    return rename(reduce, names);
  }
  /// Whether reductions still depend on all axes that they kept: a value in the place of a load may depend on fewer.
  bool keepsAxes(const ir::Loops& loops) const {
    const std::optional<ReductionNest>& nest = guest_.reduction ? guest_.reduction : host_.reduction;
    if (!nest) return true;
    std::set<const Expr*> kept;
    for (const Expr* node : ir::postorder(ir::storedValues(loops.stores))) {
      if (node->op != ir::Op::Reduce) continue;
      for (const Expr* axis : runningAxes(ir::freeAxes({node}))) kept.insert(axis);
    }
    return kept.size() == nest->kept.size();
  }
  /// What the first loops store, at the point at hand of the second: in a reduction, at a point of its own axes.
  const Expr* storedValue(int value, const Axes& own) const {
    Renaming names;
    for (std::size_t i = 0; i < own.size(); ++i) {
      const Expr* axis = second_.reduction->reduced[i];
      names[&second_ == &guest_ ? names_.at(axis) : axis] = own[i];
    }
    return rename(stored_.at(value), names);
  }
  const Expr* rename(const Expr* expr, const Renaming& names) const {
    return ir::rewrite(*host_.loops.pool, expr, [&](const Expr* node) -> const Expr* {
      const auto name = names.find(node);
      return name == names.end() ? nullptr : name->second;
    });
  }

  const LoopNest& first_;
  const LoopNest& second_;
  const std::set<int>& temporaries_;
  const bool isHostFirst_;
  const LoopNest& host_;
  const LoopNest& guest_;
  Renaming names_;                                                        ///< by axis of the guest: the axis of the host
  std::set<int> handedOn_;                                                ///< values that the first loops store for the second
  Renaming fresh_;                                                        ///< axes of reductions of the first loops as others
  std::map<std::pair<const LoopNest*, const Expr*>, const Expr*> moved_;  ///< reductions
  std::map<int, const Expr*> stored_;  ///< what is stored of these, at a point of the host's axes
};

}  // namespace

std::optional<ir::Loops> splitAs(const LoopNest& nest, const LoopNest& other) {
  const Axes own = pointsOf(nest), others = pointsOf(other);
  const bool shareValue = std::any_of(nest.loops.buffers.begin(), nest.loops.buffers.end(), [&](const ir::Buffer& one) {
    return std::any_of(other.loops.buffers.begin(), other.loops.buffers.end(),
                       [&](const ir::Buffer& known) { return known.value == one.value; });
  });
  if (own.size() >= others.size() || !shareValue) return std::nullopt;
  const std::vector<const Expr*> nodes = ir::postorder(ir::rootsOf(nest.loops.stores));
  if (std::any_of(nodes.begin(), nodes.end(), [](const Expr* node) { return node->op == ir::Op::Scan; })) return std::nullopt;
  ir::Loops loops = nest.loops;
  for (std::size_t i = 0; i < own.size(); ++i) {
    const std::vector<int64_t> extents = extentsIn(others, own[i]->axis().extent);
    if (extents.empty()) return std::nullopt;
    if (extents.size() == 1) continue;
    for (const Expr* axis : axesAt(nest, own[i])) splitAxis(loops, axis, extents);
  }
  return loops;
}

std::optional<ir::Loops> foldedAs(const LoopNest& nest, const LoopNest& pieces) {
  constexpr int64_t most = 4;
  if (!nest.reduction || storesElements(nest) || nest.hasScans() || !pieces.isPiece() || pieces.reduction) return std::nullopt;
  const Axes &reduced = nest.reduction->reduced, &axes = pieces.loops.axes;
  if (reduced.size() != 1 || axes.empty()) return std::nullopt;
  const int64_t row = reduced.front()->axis().extent, piece = axes.back()->axis().extent, count = row / piece;
  if (row % piece != 0 || count < 2 || count > most) return std::nullopt;
  ir::Loops loops = nest.loops;
  for (const Expr* axis : axesAt(nest, reduced.front())) unrollAxis(loops, splitAxis(loops, axis, {count, piece}).front());
  return loops;
}

std::optional<JoinedLoops> joinLoops(const LoopNest& first, const LoopNest& second, const std::set<int>& temporaries) {
  return Joiner(first, second, temporaries).join();
}

}  // namespace lowering
