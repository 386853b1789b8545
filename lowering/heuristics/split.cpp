#include "lowering/heuristics/split.h"

#include <algorithm>
#include <numeric>

#include "lowering/analysis/row_accesses.h"
#include "lowering/analysis/transposition.h"
#include "lowering/heuristics/limits.h"
#include "lowering/heuristics/staged.h"

namespace lowering {
namespace {

using Axes = std::vector<const ir::Expr*>;

int64_t extentOf(const ir::Expr* axis) { return axis->axis().extent; }

/// The longest divisor of an extent that a part may have, among the multiples of as much of a vector as any divides.
int64_t lengthOf(int64_t extent, const ir::Target& target) {
  const int64_t vector = target.vectorBytes / 2;  // of halves
  int64_t best = 1;
  for (int64_t length = 1; length <= std::min(extent, limits::split::longestLength); ++length) {
    const auto rank = [&](int64_t one) { return std::pair(std::min(std::gcd(one, vector), vector), one); };
    if (extent % length == 0 && length >= limits::split::shortestLength && rank(length) >= rank(best)) best = length;
  }
  return best;
}

/// The last axes, as far as a part is no longer than it may be; nothing where that is all or next to nothing.
std::optional<ReductionSplit> lastAxes(const Axes& reduced, const ir::Target& target) {
  std::size_t axis = reduced.size();
  int64_t elements = 1;
  while (axis > 0 && elements * extentOf(reduced[axis - 1]) <= limits::split::longestPart) elements *= extentOf(reduced[--axis]);
  if (axis == 0) return std::nullopt;
  if (axis < reduced.size()) return ReductionSplit{axis, extentOf(reduced[axis])};
  const int64_t length = lengthOf(extentOf(reduced.back()), target);
  if (length < limits::split::shortestLength) return std::nullopt;
  return ReductionSplit{axis - 1, length};
}

/// Whether a nest does nothing but sum what it reads once.
bool onlySums(const ReductionNest& nest) {
  const auto isSum = [](const Reduction& reduction) {
    return reduction.op == ir::Op::Add && ir::isFloating(reduction.body->dtype);
  };
  return !nest.scans && nest.isReadOnce() && std::all_of(nest.reductions.begin(), nest.reductions.end(), isSum);
}

/// Whether the tensors of the first stage run both ways, too: one of them along what it keeps, and one along what it reduces.
bool runsBothWays(const LoopNest& nest, const Axes& reduced, ReductionSplit split) {
  const auto first = reduced.begin() + static_cast<std::ptrdiff_t>(split.axis);
  const bool isCut = split.length < extentOf(*first);
  Axes kept = nest.reduction->kept, outer(reduced.begin(), isCut ? first + 1 : first), inner(first, reduced.end());
  bool alongKept = false, alongInner = false;
  for (const Access& access : nest.domain.loads()) {
    const auto moves = [&](const Axes& axes) {
      return std::any_of(axes.begin(), axes.end(), [&](const ir::Expr* axis) { return access.form->of(axis) != 0; });
    };
    const auto runs = [&](const Axes& axes) {
      return std::any_of(axes.begin(), axes.end(),
                         [&](const ir::Expr* axis) { return extentOf(axis) > 1 && access.form->of(axis) == 1; });
    };
    if (!access.form) return false;
    if (!moves(inner) || !(moves(kept) || moves(outer))) continue;
    alongKept = alongKept || runs(kept);
    alongInner = alongInner || runs(inner);
  }
  return alongKept && alongInner;
}

}  // namespace

std::optional<ReductionSplit> chooseSplit(const LoopNest& nest, const ir::Target& target) {
  if (target.backend != ir::Backend::Cuda || !nest.reduction || !onlySums(*nest.reduction)) return std::nullopt;
  int64_t bytes = 0;
  for (const Access& access : nest.domain.loads())
    if (isStaged(nest.domain, access)) bytes += access.elementBytes * nest.domain.numel();
  if (bytes < limits::split::leastBytes * target.processors || !runsBothWays(nest.domain)) return std::nullopt;
  if (stagedDraft(*nest.reduction, nest.domain, target)) return std::nullopt;
  const Axes reduced = runningAxes(nest.reduction->reduced);
  const std::optional<ReductionSplit> split = lastAxes(reduced, target);
  return split && runsBothWays(nest, reduced, *split) ? split : std::nullopt;
}

std::optional<ReductionSplit> chooseSplitBeside(const LoopNest& transposition, const LoopNest& sum, const ir::Target& target) {
  if (target.backend != ir::Backend::Cuda || !transposition.transposition || transposition.reduction) return std::nullopt;
  if (!sum.hasReductions() || !onlySums(*sum.reduction) || sum.reduction->reductions.size() > 1) return std::nullopt;
  const Axes reduced = runningAxes(sum.reduction->reduced);
  if (reduced.empty()) return std::nullopt;
  const IterationDomain& tiles = transposition.transposition->domain;
  const Dim& across = tiles.inner();
  for (const Access& load : sum.domain.loads()) {
    const bool runsAlong = load.form && load.form->of(reduced.back()) == 1 && extentOf(reduced.back()) == across.extent;
    const auto isThis = [&](const Access& copied) {
      return crosses(tiles, copied) && transposition.valueOf(copied.buffer) == sum.valueOf(load.buffer);
    };
    if (!runsAlong || across.axes.size() != 1 || std::none_of(tiles.loads().begin(), tiles.loads().end(), isThis)) continue;
    if (load.elementBytes * sum.domain.numel() < limits::split::leastBytes * target.processors) continue;
    const int64_t length = lengthOf(across.extent, target);
    if (length >= limits::split::shortestLength) return ReductionSplit{reduced.size() - 1, length};
  }
  return std::nullopt;
}

}  // namespace lowering
