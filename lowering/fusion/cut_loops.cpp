#include "lowering/fusion/cut_loops.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>

#include "ir/index/ceil_div.h"
#include "ir/walk.h"
#include "lowering/fusion/edit_loops.h"
#include "lowering/fusion/join_loops.h"
#include "lowering/heuristics/limits.h"
#include "lowering/heuristics/persistent.h"

namespace lowering {
namespace {

using ir::Expr;

/// The points of an axis at which pieces start: the first is 0.
struct Cut {
  const Expr* axis = nullptr;
  std::vector<int64_t> starts;

  int64_t end(std::size_t piece) const { return piece + 1 < starts.size() ? starts[piece + 1] : axis->axis().extent; }
};

/// The points of an axis, beside 0, from which on a comparison of it with a constant has another value, as one of:
/// `axis < 3`, `4 <= axis`. Nothing of other conditions.
std::optional<int64_t> changeOf(const Expr* comparison, const Expr* axis) {
  const bool isLess = comparison->op == ir::Op::Lt;
  if (!isLess && comparison->op != ir::Op::Le) return std::nullopt;
  const Expr *left = comparison->src[0], *right = comparison->src[1];
  if (left == axis && right->isConst()) return right->integer() + (isLess ? 0 : 1);
  if (right == axis && left->isConst()) return left->integer() + (isLess ? 1 : 0);
  return std::nullopt;
}

/// Adds the points at which a condition changes; whether it is made of comparisons of the axis with constants alone.
bool addChanges(const Expr* condition, const Expr* axis, std::set<int64_t>& changes) {
  const bool isJoined = condition->op == ir::Op::And || condition->op == ir::Op::Or || condition->op == ir::Op::Not;
  if (isJoined)
    return std::all_of(condition->src.begin(), condition->src.end(),
                       [&](const Expr* part) { return addChanges(part, axis, changes); });
  const std::optional<int64_t> change = changeOf(condition, axis);
  if (change) changes.insert(*change);
  return change.has_value();
}

/// The conditions that all hold where one does.
void addConditions(const Expr* condition, std::vector<const Expr*>& all) {
  if (condition->op != ir::Op::And) return all.push_back(condition);
  for (const Expr* part : condition->src) addConditions(part, all);
}

/// What hides some loads and not others, where they read several tensors: what hides all of them is no reason to cut.
std::vector<const Expr*> differencesOf(const std::vector<const Expr*>& loads) {
  std::map<const Expr*, std::size_t> holds;
  std::set<int> tensors;
  for (const Expr* load : loads) {
    tensors.insert(load->load().buffer);
    std::vector<const Expr*> own;
    if (load->isMasked()) addConditions(load->src[1], own);
    for (const Expr* condition : std::set<const Expr*>(own.begin(), own.end())) ++holds[condition];
  }
  std::vector<const Expr*> differences;
  for (const auto& [condition, count] : holds)
    if (tensors.size() > 1 && count < loads.size()) differences.push_back(condition);
  return differences;
}

/// Where the masks change that an axis alone decides, or their parts in which tensors differ. Only the latter cut reductions.
Cut cutAlong(const ir::Loops& loops, const Expr* axis, bool hasReductions) {
  std::set<int64_t> starts{0};
  const auto add = [&](const Expr* condition) {
    std::set<int64_t> changes;
    if (addChanges(condition, axis, changes)) starts.merge(changes);
  };
  const std::vector<const Expr*> loads = ir::loadsIn(ir::storedValues(loops.stores));
  for (const Expr* load : loads)
    if (load->isMasked() && !hasReductions) add(load->src[1]);
  for (const Expr* condition : differencesOf(loads)) add(condition);
  const auto isPoint = [&](int64_t point) { return 0 <= point && point < axis->axis().extent; };
  Cut cut{axis, {}};
  std::copy_if(starts.begin(), starts.end(), std::back_inserter(cut.starts), isPoint);
  return cut;
}

/// With pieces joined to their neighbours while there are too many.
Cut withFewPieces(Cut cut) {
  const auto count = static_cast<int64_t>(cut.starts.size());
  const int64_t each = ceilDiv(count, limits::pieces::most);
  std::vector<int64_t> starts;
  for (int64_t piece = 0; piece < count; piece += each) starts.push_back(cut.starts[static_cast<std::size_t>(piece)]);
  cut.starts = std::move(starts);
  return cut;
}

/// What an offset is the sum of.
std::vector<const Expr*> termsOf(const Expr* offset) {
  if (offset->op != ir::Op::Add) return {offset};
  std::vector<const Expr*> terms = termsOf(offset->src[0]);
  for (const Expr* term : termsOf(offset->src[1])) terms.push_back(term);
  return terms;
}

/// How far a store moves along an axis, whatever else its offset has; nothing where that is no fixed number of elements.
std::optional<int64_t> stepAlong(const Expr* offset, const Expr* axis) {
  int64_t step = 0;
  for (const Expr* term : termsOf(offset)) {
    if (!ir::dependsOn(term, axis)) continue;
    const std::optional<ir::Affine> form = ir::affine(term);
    if (!form) return std::nullopt;
    step += form->of(axis);
  }
  return step;
}

/// The bytes that the shortest piece stores one after another: along its part of the axis, and along axes of smaller steps.
int64_t shortestRun(const ir::Loops& loops, const Cut& cut) {
  int64_t shortest = cut.axis->axis().extent;
  for (std::size_t piece = 0; piece < cut.starts.size(); ++piece)
    shortest = std::min(shortest, cut.end(piece) - cut.starts[piece]);
  int64_t bytes = INT64_MAX;
  for (const ir::StoreTo& store : loops.stores) {
    const int64_t own = stepAlong(store.offset, cut.axis).value();
    int64_t elements = shortest;
    for (const Expr* axis : loops.axes)
      if (axis != cut.axis && stepAlong(store.offset, axis).value_or(own) < own) elements *= axis->axis().extent;
    bytes = std::min(bytes, elements * ir::sizeOf(store.value->dtype));
  }
  return bytes;
}

/// Whether every store goes to other elements at other points of the axis, and reads no element that loops write.
bool canBeCut(const ir::Loops& loops, const Expr* axis) {
  const auto isApart = [&](const ir::StoreTo& store) {
    return !store.accumulate && stepAlong(store.offset, axis).value_or(0) != 0;
  };
  return std::all_of(loops.stores.begin(), loops.stores.end(), isApart) &&
         std::none_of(loops.buffers.begin(), loops.buffers.end(),
                      [](const ir::Buffer& buffer) { return buffer.isRead && buffer.isWritten; });
}

/// The loops from one point of an axis to before another.
ir::Loops pieceOf(const ir::Loops& loops, const Expr* axis, int64_t start, int64_t end) {
  ir::Loops piece = loops;
  ir::ExprPool& pool = *loops.pool;
  const Expr* own = pool.axis(end - start);
  std::replace(piece.axes.begin(), piece.axes.end(), axis, own);
  const Expr* place = pool.make(ir::Op::Add, {own, pool.integer(ir::DType::I64, start)});
  replaceAxis(piece, axis, place);
  for (ir::Buffer& buffer : piece.buffers) buffer.isPart = buffer.isWritten;
  removeUnused(piece);
  return piece;
}

/// Whether cutting reductions to pieces lets each of them run through memory in its own order: along rows, or along columns.
bool runDifferently(const std::vector<LoopNest>& pieces) {
  const auto runsAsFirst = [&](const LoopNest& piece) {
    return piece.domain.runsAlongElements() == pieces.front().domain.runsAlongElements();
  };
  return !std::all_of(pieces.begin(), pieces.end(), runsAsFirst);
}

/// Whether a nest reads any of these values.
bool readsAny(const LoopNest& nest, const std::set<int>& values) {
  return std::any_of(nest.loops.buffers.begin(), nest.loops.buffers.end(),
                     [&](const ir::Buffer& buffer) { return buffer.isRead && values.contains(buffer.value); });
}

/// Whether two pieces read the same elements for the most part, once they are one loop: such are the halves of a row that rotate
/// into each other.
bool readTheSame(const std::vector<LoopNest>& pieces) {
  const std::optional<JoinedLoops> joined = joinLoops(pieces[0], pieces[1], {});
  return joined && 2 * joined->savedBytes > touchedBytes({&pieces[0], &pieces[1]});
}

/// What the loops read that are cut.
std::set<int> valuesRead(const std::vector<LoopNest>& pieces) {
  std::set<int> values;
  for (const LoopNest& piece : pieces)
    for (const ir::Buffer& buffer : piece.loops.buffers)
      if (buffer.isRead) values.insert(buffer.value);
  return values;
}

/// The pieces of a nest; none where it stays whole. Reductions are cut where they read what loops read that are cut, `cutBeside`:
/// a GPU then reads each piece once for both. So are columns that are stored, too, and so wide that a CTA has a single row at
/// once. Several reductions, some of them hidden by masks, are cut where both pieces then read the same.
std::vector<LoopNest> piecesOf(const LoopNest& nest, const std::set<int>& cutBeside, const ir::Target& target) {
  if (nest.hasScans()) return {};
  const bool isGpu = target.backend == ir::Backend::Cuda;
  const auto piecesAt = [&](const Cut& cut) {
    std::vector<LoopNest> pieces;
    if (cut.starts.size() <= 1 || shortestRun(nest.loops, cut) < limits::pieces::leastRunBytes) return pieces;
    for (std::size_t piece = 0; piece < cut.starts.size(); ++piece)
      pieces.push_back(analyze(pieceOf(nest.loops, cut.axis, cut.starts[piece], cut.end(piece)), target));
    return pieces;
  };
  for (const Expr* axis : nest.reduction ? nest.reduction->kept : nest.loops.axes) {
    if (!canBeCut(nest.loops, axis)) continue;
    if (isGpu && nest.hasReductions() && nest.reduction->reductions.size() > 1) {
      const Cut halves = cutAlong(nest.loops, axis, /*hasReductions=*/false);
      std::vector<LoopNest> pieces = halves.starts.size() == 2 ? piecesAt(halves) : std::vector<LoopNest>{};
      if (!pieces.empty() && readTheSame(pieces)) return pieces;
    }
    std::vector<LoopNest> pieces = piecesAt(withFewPieces(cutAlong(nest.loops, axis, nest.hasReductions())));
    if (pieces.empty()) continue;
    if (!nest.hasReductions() || runDifferently(pieces)) return pieces;
    const bool isWide = !nest.reduction->elementStores.empty() && nest.mixedOrder && takesSingleRows(*nest.mixedOrder, target);
    if (isGpu && (isWide || readsAny(nest, cutBeside))) return pieces;
  }
  return {};
}

}  // namespace

std::vector<LoopNest> cutLoops(std::vector<LoopNest> all, const ir::Target& target) {
  std::vector<std::vector<LoopNest>> pieces(all.size());
  std::set<int> cut;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].reduction) continue;
    pieces[i] = piecesOf(all[i], {}, target);
    cut.merge(valuesRead(pieces[i]));
  }
  std::vector<LoopNest> found;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].reduction) pieces[i] = piecesOf(all[i], cut, target);
    if (pieces[i].empty()) pieces[i].push_back(std::move(all[i]));
    std::move(pieces[i].begin(), pieces[i].end(), std::back_inserter(found));
  }
  return found;
}

}  // namespace lowering
