#include <algorithm>

#include "lowering/heuristics/gpu_limits.h"
#include "lowering/heuristics/limits.h"
#include "lowering/heuristics/tiling.h"

namespace lowering {
namespace {

constexpr int warp = ir::Target::warp;

std::vector<Tiling> others(const PointwiseTiling& rules) {
  std::vector<Tiling> tilings;
  for (const int steps : {1, 2, 4})
    for (const int block : {128, 256, 512}) {
      PointwiseTiling tiling = rules;
      tiling.steps = steps;
      tiling.block = block;
      tilings.emplace_back(tiling);
    }
  return tilings;
}

/// Other threads and CTAs a row, rows a CTA, places where rows are held, functions held beside them, aligned covers, and slices.
std::vector<RowWish> wishes(const RowTiling& rules, const ir::Target& target) {
  const int64_t steps = rules.runSteps * rules.vectorSteps;
  std::vector<RowWish> all;
  all.push_back({.steps = 2 * steps});
  if (steps > 1) all.push_back({.steps = steps / 2});
  if (rules.group > warp) all.push_back({.splits = 2 * rules.splits()});
  if (rules.splits() > 1) all.push_back({.splits = rules.splits() / 2});
  for (const Hold hold : {Hold::Registers, Hold::Shared, Hold::Nowhere}) all.push_back({.hold = hold});
  if (rules.splits() == 1) all.push_back({.rowsPerCta = 2 * rules.rowsPerCta()});
  if (rules.resident > 0) all.push_back({.isResident = false});
  if (rules.hold == Hold::Registers) all.push_back({.keepsFunctions = !rules.keepsFunctions});
  if (!rules.hasRuns()) all.push_back({.hasCover = !rules.hasCover});
  if (!rules.hasRuns()) return all;
  for (const int splits : {rules.splits() / 2, rules.splits() * 2}) all.push_back({.splits = splits, .hold = Hold::Registers});
  // Four, three and two of them fit on a multiprocessor.
  for (const int64_t slice : {limits::segments::sliceBytes, limits::segments::mostSliceBytes, limits::rows::sharedBytes})
    for (const bool isPersistent : {false, true}) all.push_back({.slice = ofShared(target, slice), .isPersistent = isPersistent});
  return all;
}

std::vector<Tiling> others(const ReductionNest& nest, const IterationDomain& domain, const ir::Target& target,
                           const RowTiling& rules) {
  std::vector<Tiling> tilings;
  for (const RowWish& wish : wishes(rules, target)) tilings.emplace_back(chooseRowTiling(nest, domain, target, wish));
  return tilings;
}

/// Whether the threads of a tile can exchange what they combined, and have something to combine.
bool isPossible(const ColumnTiling& tiling, const ir::Target& target) {
  if (tiling.across < 1 || tiling.ctas < 1 || tiling.gridSplits < 1 || tiling.block() > ir::Target::ctaThreads) return false;
  if (tiling.block() % warp != 0 || tiling.ctas > target.clusterCtas) return false;
  if (tiling.isDirect()) return true;
  const int64_t atOnce = int64_t{tiling.down} * tiling.splits();
  return tiling.down >= tiling.lanes && tiling.block() >= 2 * warp && atOnce <= tiling.elements;
}

/// Other threads across a tile and down a column, and other CTAs a tile.
std::vector<Tiling> others(const ir::Target& target, const ColumnTiling& rules) {
  std::vector<Tiling> tilings;
  const auto add = [&](int across, int down, int splits) {
    ColumnTiling tiling = rules;
    tiling.across = across;
    tiling.down = down;
    (rules.gridSplits > 1 ? tiling.gridSplits : tiling.ctas) = splits;
    if (isPossible(tiling, target)) tilings.emplace_back(tiling);
  };
  const auto [across, down, splits] = std::tuple(rules.across, rules.down, rules.splits());
  if (rules.isDirect()) {
    for (const int other : {across / 2, across * 2, across * 4}) add(other, 1, 1);
    add(warp, std::max(4, rules.lanes), 1);
    return tilings;
  }
  add(across, down * 2, splits);
  add(across, down / 2, splits);
  add(across * 2, down / 2, splits);
  add(across / 2, down * 2, splits);
  add(across, down, splits * 2);
  add(across, down, splits / 2);
  return tilings;
}

/// Threads that share the elements of rows, how many rows a tile has, and whether these stay in registers; no tiles where memory
/// runs along rows' elements.
std::vector<Tiling> others(const ReductionNest& nest, const IterationDomain& domain, const ir::Target& target,
                           const StagedTiling& rules) {
  std::vector<Tiling> tilings;
  const int64_t half = rules.rowVectors() * rules.lanes / 2;
  for (const StagedWish& wish :
       {StagedWish{.group = rules.group * 2}, {.group = rules.group / 2}, {.rows = half}, {.isHeld = !rules.isHeld}})
    if (const std::optional<StagedTiling> tiling = stagedTiling(nest, domain, target, wish)) tilings.emplace_back(*tiling);
  if (domain.runsAlongElements()) tilings.emplace_back(chooseRowTiling(nest, domain, target));
  return tilings;
}

/// Vectors a thread takes at once, and CTAs a row or column.
std::vector<Tiling> others(const IterationDomain& domain, const ir::Target& target, const ScanTiling& rules) {
  std::vector<Tiling> tilings;
  for (const ScanWish& wish : {ScanWish{.steps = 2 * rules.steps}, ScanWish{.steps = rules.steps / 2},
                               ScanWish{.splits = 2 * rules.splits()}, ScanWish{.splits = rules.splits() / 2}})
    tilings.emplace_back(chooseScanTiling(domain, target, wish));
  return tilings;
}

/// Columns that all CTAs add to at once, and tiles of columns.
std::vector<Tiling> others(const LoopNest& nest, const ir::Target& target, PersistentTiling rules) {
  std::vector<Tiling> tilings;
  if (!nest.domain.runsAlongElements()) tilings.emplace_back(chooseColumnTiling(*nest.reduction, nest.domain, target));
  rules.adds = true;
  if (nest.mixedOrder && canAdd(*nest.mixedOrder)) tilings.emplace_back(rules);
  return tilings;
}

std::vector<Tiling> others(const LoopNest& nest, const ir::Target& target, const Tiling& rules) {
  const auto& [loops, reduction, domain, mixedOrder] = nest;
  if (const auto* pointwise = std::get_if<PointwiseTiling>(&rules)) return others(*pointwise);
  if (target.backend == ir::Backend::Cpu || !reduction) return {};
  if (const auto* scan = std::get_if<ScanTiling>(&rules)) return others(domain, target, *scan);
  if (const auto* staged = std::get_if<StagedTiling>(&rules)) return others(*reduction, domain, target, *staged);
  std::vector<Tiling> tilings;
  if (const auto* rows = std::get_if<RowTiling>(&rules)) tilings = others(*reduction, domain, target, *rows);
  if (const auto* columns = std::get_if<ColumnTiling>(&rules)) tilings = others(target, *columns);
  if (const auto* persistent = std::get_if<PersistentTiling>(&rules)) tilings = others(nest, target, *persistent);
  if (const std::optional<StagedTiling> staged = stagedTiling(*reduction, domain, target)) tilings.emplace_back(*staged);
  return tilings;
}

}  // namespace

std::vector<Tiling> candidates(const LoopNest& nest, const ir::Target& target, const Tiling& own) {
  std::vector<Tiling> tilings{own};
  const auto add = [&](const Tiling& other) {
    const auto isSame = [&](const Tiling& tiling) { return toText(tiling) == toText(other); };
    if (std::none_of(tilings.begin(), tilings.end(), isSame)) tilings.push_back(other);
  };
  for (const Tiling& start : {own, chooseTiling(nest, target)}) {
    add(start);
    for (const Tiling& other : others(nest, target, start)) add(other);
  }
  return tilings;
}

}  // namespace lowering
