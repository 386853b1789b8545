#include "lowering/heuristics/columns.h"

#include <algorithm>
#include <bit>

#include "ir/index/ceil_div.h"
#include "lowering/analysis/gather.h"
#include "lowering/heuristics/limits.h"
#include "lowering/heuristics/schedule.h"
#include "lowering/layout/check.h"

namespace lowering {
namespace {

/// Accesses that run along the columns and take part in the volume.
std::vector<const Access*> columnAccesses(const IterationDomain& domain) {
  std::vector<const Access*> found;
  const std::size_t columns = domain.elementDims() - 1;
  for (const Access& access : domain.loads()) {
    const bool isElement = domain.moves(access, domain.elementDims(), domain.dims().size());
    if (isElement && domain.isContiguous(access, columns)) found.push_back(&access);
  }
  return found;
}

int chooseColumnLanes(const IterationDomain& domain, const std::vector<const Access*>& accesses, const ir::Target& target) {
  if (accesses.empty()) return 1;
  const std::size_t columns = domain.elementDims() - 1;
  int64_t widest = 1;
  for (const Access* access : accesses) widest = std::max(widest, access->elementBytes);
  int lanes = static_cast<int>(target.vectorBytes / widest);
  const auto fits = [&](const Access* access) { return domain.isAligned(*access, lanes, columns); };
  while (lanes > 1 && (domain.dims()[columns].extent % lanes != 0 || !std::all_of(accesses.begin(), accesses.end(), fits)))
    lanes /= 2;
  return lanesGathering(domain, columns, lanes, limits::columns::gatheredBytes);
}

}  // namespace

ColumnMapping chooseColumnMapping(const ReductionNest& nest, const IterationDomain& domain, const ir::Target& target) {
  const std::vector<const Access*> accesses = columnAccesses(domain);
  ColumnMapping mapping;
  mapping.lanes = chooseColumnLanes(domain, accesses, target);
  mapping.outer = domain.numel(0, domain.elementDims() - 1);
  mapping.columns = domain.dims()[domain.elementDims() - 1].extent;
  mapping.elements = domain.numel(domain.elementDims(), domain.dims().size());
  int64_t bytes = 0;
  for (const Access* access : accesses) bytes += domain.numel() * access->elementBytes;
  const int64_t elementBytes = accesses.empty() ? 4 : accesses.front()->elementBytes;

  const int64_t vectors = ceilDiv(mapping.columns, mapping.lanes);
  const bool isWide = mapping.outer * vectors >= limits::columns::directVectors * target.processors;
  if (mapping.elements <= limits::columns::directElements || isWide) {
    const int64_t all = mapping.outer * vectors;
    mapping.across = static_cast<int>(std::clamp<int64_t>(std::bit_ceil(static_cast<uint64_t>(all / target.processors)),
                                                          ir::Target::warp, limits::gpu::usualBlock));
    return mapping;
  }
  const int64_t line = std::max<int64_t>(1, limits::columns::tileBytes / (elementBytes * mapping.lanes));
  const bool isNarrow = mapping.lanes * elementBytes < target.vectorBytes;
  const bool fills = mapping.outer * ceilDiv(vectors, limits::columns::wideTile) >= target.processors;
  const int64_t wanted = isNarrow && fills ? std::max<int64_t>(line, limits::columns::wideTile) : line;
  mapping.across = static_cast<int>(std::bit_ceil(static_cast<uint64_t>(std::min(vectors, wanted))));
  const bool isOneTraversal = nest.isReadOnce();
  const bool areMany = mapping.outer * mapping.tiles() >= limits::columns::manyTiles * target.processors;
  const bool isSmall = bytes < limits::columns::smallBytes || (!isOneTraversal && areMany);
  const int block = isSmall ? limits::columns::smallBlock : limits::columns::block;
  mapping.down = block / mapping.across;
  // Of a large tensor each thread has several elements of its columns.
  const int64_t fewest = bytes < limits::columns::smallBytes ? mapping.elements * 2 : mapping.elements;
  while (mapping.down > mapping.lanes && mapping.block() > limits::columns::fewestThreads && mapping.down >= fewest)
    mapping.down /= 2;
  // Clusters do not fit on the last few multiprocessors. A small tensor is read soonest by about half of them, whose clusters
  // then have less to exchange.
  const bool isFew = bytes < limits::columns::quickBytes;
  const int64_t enough = (isFew ? limits::columns::quickFilling : limits::columns::filledDevice).of(target.processors);
  const auto wantsMore = [&] {
    return mapping.outer * mapping.tiles() * mapping.ctas < enough && mapping.elements > int64_t{2} * mapping.down * mapping.ctas;
  };
  while (mapping.ctas < target.clusterCtas && wantsMore()) mapping.ctas *= 2;
  const bool isQuick = isOneTraversal && bytes < limits::columns::smallBytes;
  const int64_t narrowest = !isQuick   ? limits::columns::narrowestTileBytes
                            : isNarrow ? limits::columns::tileBytes / 2
                                       : limits::columns::tileBytes;
  while (wantsMore() && mapping.across * mapping.lanes * elementBytes > narrowest) {
    mapping.across /= 2;
    mapping.down *= 2;
  }
  if (isOneTraversal && !isQuick && wantsMore()) {
    const int64_t fills = int64_t{limits::columns::splitCtas} * target.processors / (mapping.outer * mapping.tiles());
    const int64_t fits = limits::columns::partialBytes / (4 * mapping.outer * mapping.tiles() * mapping.tile());
    const int64_t has = mapping.elements / (limits::columns::splitElements * mapping.down);
    const int64_t gridSplits = std::min({fills, fits, has});
    if (gridSplits > mapping.ctas) {
      mapping.gridSplits = static_cast<int>(gridSplits);
      mapping.ctas = 1;
    }
  }
  return mapping;
}

ColumnMapping withBlock(ColumnMapping mapping, int block) {
  const int down = block / mapping.across;
  const bool fits = mapping.gridSplits == 1 && !mapping.isDirect() && mapping.across * down == block && down >= mapping.lanes &&
                    block % ir::Target::warp == 0;
  if (fits) mapping.down = down;
  return mapping;
}

LayoutSchedule scheduleOf(const ColumnMapping& mapping, const ReductionNest& nest, const IterationDomain& domain) {
  const std::size_t last = domain.elementDims() - 1;
  const int64_t steps = ceilDiv(mapping.elements, int64_t{mapping.down} * mapping.splits());
  const bool isHeld = !nest.isReadOnce() && steps <= limits::columns::heldVectors;
  const int64_t unrolled = isHeld ? steps : std::min(steps, limits::columns::vectorsInFlight);

  Layout layout;
  const Layout::Dim elements{domain.elementDims(), domain.dims().size(), mapping.elements};
  if (mapping.isDirect()) {
    layout.dims = {{0, last + 1, mapping.vectors(), mapping.lanes}, elements};
    layout.parts = {{0, Bind::Grid, ceilDiv(mapping.vectors(), mapping.block())},
                    {1, Bind::Serial, ceilDiv(steps, unrolled)},
                    {1, Bind::Unrolled, unrolled},
                    {0, Bind::Thread, mapping.block()}};
  } else {
    layout.laneDim = 1;
    layout.dims = {{0, last, mapping.outer}, {last, last + 1, mapping.columns / mapping.lanes, mapping.lanes}, elements};
    layout.parts = {{0, Bind::Grid, mapping.outer},
                    {1, Bind::Grid, mapping.tiles(), mapping.across},
                    {2, Bind::Serial, ceilDiv(steps, unrolled)},
                    {2, Bind::Unrolled, unrolled},
                    {2, mapping.gridSplits > 1 ? Bind::Grid : Bind::Cluster, mapping.splits()},
                    {2, Bind::Thread, mapping.down},
                    {1, Bind::Thread, mapping.across}};
  }
  LayoutSchedule schedule;
  schedule.layout = simplified(std::move(layout));
  schedule.hold = isHeld ? Hold::Registers : Hold::Nowhere;
  return schedule;
}

namespace {

bool hasColumns(const LoopNest& nest) { return nest.hasReductions() && !nest.domain.runsAlongElements(); }

/// Other threads across a tile and down a column, and other CTAs a tile.
std::vector<Schedule> otherColumns(const LoopNest& nest, const ir::Target& target, const TuningStart& start) {
  if (!hasColumns(nest)) return {};
  const ColumnMapping rules = chooseColumnMapping(*nest.reduction, nest.domain, target);
  if (!start.isChosen) return {scheduleOf(rules, *nest.reduction, nest.domain)};
  std::vector<Schedule> schedules;
  const auto add = [&](int across, int down, int splits) {
    ColumnMapping mapping = rules;
    mapping.across = across;
    mapping.down = down;
    (rules.gridSplits > 1 ? mapping.gridSplits : mapping.ctas) = splits;
    if (across < 1 || down < 1 || splits < 1) return;
    const Schedule schedule = scheduleOf(mapping, *nest.reduction, nest.domain);
    if (isPossible(schedule, nest, target)) schedules.push_back(schedule);
  };
  const auto [across, down, splits] = std::tuple(rules.across, rules.down, rules.splits());
  if (rules.isDirect()) {
    for (const int other : {across / 2, across * 2, across * 4}) add(other, 1, 1);
    add(ir::Target::warp, std::max(4, rules.lanes), 1);
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

std::optional<Schedule> chooseColumns(const LoopNest& nest, const ir::Target& target) {
  if (!hasColumns(nest)) return std::nullopt;
  return scheduleOf(chooseColumnMapping(*nest.reduction, nest.domain, target), *nest.reduction, nest.domain);
}

const ScheduleRule columns{{.order = 70, .choose = chooseColumns, .others = otherColumns}};

}  // namespace

}  // namespace lowering
