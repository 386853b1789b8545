#include <algorithm>

#include "lowering/heuristics/gpu_limits.h"
#include "lowering/heuristics/limits.h"
#include "lowering/heuristics/schedule.h"

namespace lowering {
namespace {

constexpr int warp = ir::Target::warp;

std::vector<Schedule> others(const PointwiseSchedule& rules) {
  std::vector<Schedule> schedules;
  for (const int steps : {1, 2, 4})
    for (const int block : {128, 256, 512}) {
      PointwiseSchedule schedule = rules;
      schedule.steps = steps;
      schedule.block = block;
      schedules.emplace_back(schedule);
    }
  return schedules;
}

/// Other threads and CTAs a row, rows a CTA, places where rows are held, functions held beside them, aligned covers, and slices.
std::vector<RowWish> wishes(const RowSchedule& rules, const ir::Target& target) {
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

std::vector<Schedule> others(const ReductionNest& nest, const IterationDomain& domain, const ir::Target& target,
                             const RowSchedule& rules) {
  std::vector<Schedule> schedules;
  for (const RowWish& wish : wishes(rules, target)) schedules.emplace_back(chooseRowSchedule(nest, domain, target, wish));
  return schedules;
}

/// Whether the threads of a tile can exchange what they combined, and have something to combine.
bool isPossible(const ColumnSchedule& schedule, const ir::Target& target) {
  if (schedule.across < 1 || schedule.ctas < 1 || schedule.gridSplits < 1 || schedule.block() > ir::Target::ctaThreads)
    return false;
  if (schedule.block() % warp != 0 || schedule.ctas > target.clusterCtas) return false;
  if (schedule.isDirect()) return true;
  const int64_t atOnce = int64_t{schedule.down} * schedule.splits();
  return schedule.down >= schedule.lanes && schedule.block() >= 2 * warp && atOnce <= schedule.elements;
}

/// Other threads across a tile and down a column, and other CTAs a tile.
std::vector<Schedule> others(const ir::Target& target, const ColumnSchedule& rules) {
  std::vector<Schedule> schedules;
  const auto add = [&](int across, int down, int splits) {
    ColumnSchedule schedule = rules;
    schedule.across = across;
    schedule.down = down;
    (rules.gridSplits > 1 ? schedule.gridSplits : schedule.ctas) = splits;
    if (isPossible(schedule, target)) schedules.emplace_back(schedule);
  };
  const auto [across, down, splits] = std::tuple(rules.across, rules.down, rules.splits());
  if (rules.isDirect()) {
    for (const int other : {across / 2, across * 2, across * 4}) add(other, 1, 1);
    add(warp, std::max(4, rules.lanes), 1);
    return schedules;
  }
  add(across, down * 2, splits);
  add(across, down / 2, splits);
  add(across * 2, down / 2, splits);
  add(across / 2, down * 2, splits);
  add(across, down, splits * 2);
  add(across, down, splits / 2);
  return schedules;
}

/// Threads that share the elements of rows, how many rows a tile has, and whether these stay in registers; no tiles where memory
/// runs along rows' elements.
std::vector<Schedule> others(const ReductionNest& nest, const IterationDomain& domain, const ir::Target& target,
                             const StagedSchedule& rules) {
  std::vector<Schedule> schedules;
  const int64_t half = rules.rowVectors() * rules.lanes / 2;
  for (const StagedWish& wish :
       {StagedWish{.group = rules.group * 2}, {.group = rules.group / 2}, {.rows = half}, {.isHeld = !rules.isHeld}})
    if (const std::optional<StagedSchedule> schedule = stagedSchedule(nest, domain, target, wish))
      schedules.emplace_back(*schedule);
  if (domain.runsAlongElements()) schedules.emplace_back(chooseRowSchedule(nest, domain, target));
  return schedules;
}

/// Vectors a thread takes at once, and CTAs a row or column.
std::vector<Schedule> others(const IterationDomain& domain, const ir::Target& target, const ScanSchedule& rules) {
  std::vector<Schedule> schedules;
  for (const ScanWish& wish : {ScanWish{.steps = 2 * rules.steps}, ScanWish{.steps = rules.steps / 2},
                               ScanWish{.splits = 2 * rules.splits()}, ScanWish{.splits = rules.splits() / 2}})
    schedules.emplace_back(chooseScanSchedule(domain, target, wish));
  return schedules;
}

/// Columns that all CTAs add to at once, and tiles of columns.
std::vector<Schedule> others(const LoopNest& nest, const ir::Target& target, PersistentSchedule rules) {
  std::vector<Schedule> schedules;
  if (!nest.domain.runsAlongElements()) schedules.emplace_back(chooseColumnSchedule(*nest.reduction, nest.domain, target));
  rules.adds = true;
  if (nest.mixedOrder && canAdd(*nest.mixedOrder)) schedules.emplace_back(rules);
  return schedules;
}

/// Other tiles, other threads of a CTA, and no tiles.
std::vector<Schedule> others(const IterationDomain& domain, const ir::Target& target, const TransposedSchedule& rules) {
  std::vector<Schedule> schedules{choosePointwiseSchedule(domain, target)};
  const auto add = [&](int64_t along, int64_t across, int block) {
    const TransposedSchedule schedule{rules.lanes, along, across, block};
    if (along >= rules.lanes && block <= ir::Target::ctaThreads && schedule.threadsAcross() > 0 && schedule.steps() > 0)
      schedules.emplace_back(schedule);
  };
  add(rules.along, rules.across, rules.block * 2);
  add(rules.along, rules.across, rules.block / 2);
  add(rules.along / 2, rules.across, rules.block);
  add(rules.along, rules.across / 2, rules.block);
  add(rules.along * 2, rules.across, rules.block);
  add(rules.along, rules.across * 2, rules.block);
  return schedules;
}

std::vector<Schedule> others(const LoopNest& nest, const ir::Target& target, const Schedule& rules) {
  const auto& [loops, reduction, domain, mixedOrder, transposition] = nest;
  if (const auto* pointwise = std::get_if<PointwiseSchedule>(&rules)) return others(*pointwise);
  if (const auto* transposed = std::get_if<TransposedSchedule>(&rules)) return others(domain, target, *transposed);
  if (target.backend == ir::Backend::Cpu || !reduction) return {};
  if (const auto* scan = std::get_if<ScanSchedule>(&rules)) return others(domain, target, *scan);
  if (const auto* staged = std::get_if<StagedSchedule>(&rules)) return others(*reduction, domain, target, *staged);
  std::vector<Schedule> schedules;
  if (const auto* rows = std::get_if<RowSchedule>(&rules)) schedules = others(*reduction, domain, target, *rows);
  if (const auto* columns = std::get_if<ColumnSchedule>(&rules)) schedules = others(target, *columns);
  if (const auto* persistent = std::get_if<PersistentSchedule>(&rules)) schedules = others(nest, target, *persistent);
  if (const std::optional<StagedSchedule> staged = stagedSchedule(*reduction, domain, target)) schedules.emplace_back(*staged);
  return schedules;
}

}  // namespace

std::vector<Schedule> candidates(const LoopNest& nest, const ir::Target& target, const Schedule& own) {
  std::vector<Schedule> schedules{own};
  const auto add = [&](const Schedule& other) {
    const auto isSame = [&](const Schedule& schedule) { return toText(schedule) == toText(other); };
    if (std::none_of(schedules.begin(), schedules.end(), isSame)) schedules.push_back(other);
  };
  for (const Schedule& start : {own, chooseSchedule(nest, target)}) {
    add(start);
    for (const Schedule& other : others(nest, target, start)) add(other);
  }
  return schedules;
}

}  // namespace lowering
