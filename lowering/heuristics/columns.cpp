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

int64_t ColumnDraft::partials() const {
  if (isDirect()) return 0;
  const int64_t leaving = across < ir::Target::warp ? ceilDiv(block(), ir::Target::warp) : down;
  return std::max<int64_t>(leaving * tile(), gridSplits > 1 ? block() : 0) + (ctas > 1 ? int64_t{ctas} * block() : 0);
}

ColumnDraft draftColumns(const ReductionNest& nest, const IterationDomain& domain, const ir::Target& target) {
  const std::vector<const Access*> accesses = columnAccesses(domain);
  ColumnDraft draft;
  draft.lanes = chooseColumnLanes(domain, accesses, target);
  draft.outer = domain.numel(0, domain.elementDims() - 1);
  draft.columns = domain.dims()[domain.elementDims() - 1].extent;
  draft.elements = domain.numel(domain.elementDims(), domain.dims().size());
  int64_t bytes = 0;
  for (const Access* access : accesses) bytes += domain.numel() * access->elementBytes;
  const int64_t elementBytes = accesses.empty() ? 4 : accesses.front()->elementBytes;

  const int64_t vectors = ceilDiv(draft.columns, draft.lanes);
  const bool isWide = draft.outer * vectors >= limits::columns::directVectors * target.processors;
  if (draft.elements <= limits::columns::directElements || isWide) {
    const int64_t all = draft.outer * vectors;
    draft.across = static_cast<int>(std::clamp<int64_t>(std::bit_ceil(static_cast<uint64_t>(all / target.processors)),
                                                        ir::Target::warp, limits::gpu::usualBlock));
    return draft;
  }
  const int64_t line = std::max<int64_t>(1, limits::columns::tileBytes / (elementBytes * draft.lanes));
  const bool isNarrow = draft.lanes * elementBytes < target.vectorBytes;
  const bool fills = draft.outer * ceilDiv(vectors, limits::columns::wideTile) >= target.processors;
  const int64_t wanted = isNarrow && fills ? std::max<int64_t>(line, limits::columns::wideTile) : line;
  draft.across = static_cast<int>(std::bit_ceil(static_cast<uint64_t>(std::min(vectors, wanted))));
  const bool isOneTraversal = nest.isReadOnce();
  const bool areMany = draft.outer * draft.tiles() >= limits::columns::manyTiles * target.processors;
  const bool isSmall = bytes < limits::columns::smallBytes || (!isOneTraversal && areMany);
  const int block = isSmall ? limits::columns::smallBlock : limits::columns::block;
  draft.down = block / draft.across;
  // Of a large tensor each thread has several elements of its columns.
  const int64_t fewest = bytes < limits::columns::smallBytes ? draft.elements * 2 : draft.elements;
  while (draft.down > draft.lanes && draft.block() > limits::columns::fewestThreads && draft.down >= fewest) draft.down /= 2;
  // Clusters do not fit on the last few multiprocessors. A small tensor is read soonest by about half of them, whose clusters
  // then have less to exchange.
  const bool isFew = bytes < limits::columns::quickBytes;
  const int64_t enough = (isFew ? limits::columns::quickFilling : limits::columns::filledDevice).of(target.processors);
  const auto wantsMore = [&] {
    return draft.outer * draft.tiles() * draft.ctas < enough && draft.elements > int64_t{2} * draft.down * draft.ctas;
  };
  while (draft.ctas < target.clusterCtas && wantsMore()) draft.ctas *= 2;
  const bool isQuick = isOneTraversal && bytes < limits::columns::smallBytes;
  const int64_t narrowest = !isQuick   ? limits::columns::narrowestTileBytes
                            : isNarrow ? limits::columns::tileBytes / 2
                                       : limits::columns::tileBytes;
  while (wantsMore() && draft.across * draft.lanes * elementBytes > narrowest) {
    draft.across /= 2;
    draft.down *= 2;
  }
  int64_t accumulatorBytes = 0;
  for (const Reduction& reduction : nest.reductions) accumulatorBytes += ir::sizeOf(reduction.body->dtype);
  const int64_t fits = target.ctaSharedBytes / 2;  // the rest is for what the other kernels of a launch have
  while (draft.down > draft.lanes && draft.partials() * accumulatorBytes > fits) draft.down /= 2;
  if (isOneTraversal && !isQuick && wantsMore()) {
    const int64_t fills = int64_t{limits::columns::splitCtas} * target.processors / (draft.outer * draft.tiles());
    const int64_t kept = limits::columns::partialBytes / (4 * draft.outer * draft.tiles() * draft.tile());
    const int64_t has = draft.elements / (limits::columns::splitElements * draft.down);
    const int64_t gridSplits = std::min({fills, kept, has});
    if (gridSplits > draft.ctas) {
      draft.gridSplits = static_cast<int>(gridSplits);
      draft.ctas = 1;
    }
  }
  return draft;
}

ColumnDraft withBlock(ColumnDraft draft, int block) {
  const int down = block / draft.across;
  const bool fits = draft.gridSplits == 1 && !draft.isDirect() && draft.across * down == block && down >= draft.lanes &&
                    block % ir::Target::warp == 0;
  if (fits) draft.down = down;
  return draft;
}

LayoutSchedule scheduleOf(const ColumnDraft& draft, const ReductionNest& nest, const IterationDomain& domain) {
  const std::size_t last = domain.elementDims() - 1;
  const int64_t steps = ceilDiv(draft.elements, int64_t{draft.down} * draft.splits());
  const bool isHeld = !nest.isReadOnce() && steps <= limits::columns::heldVectors;
  const int64_t unrolled = isHeld ? steps : std::min(steps, limits::columns::vectorsInFlight);

  Layout layout;
  const Layout::Dim elements{domain.elementDims(), domain.dims().size(), draft.elements};
  if (draft.isDirect()) {
    layout.dims = {{0, last + 1, draft.vectors(), draft.lanes}, elements};
    layout.parts = {{0, Bind::Grid, ceilDiv(draft.vectors(), draft.block())},
                    {1, Bind::Serial, ceilDiv(steps, unrolled)},
                    {1, Bind::Unrolled, unrolled},
                    {0, Bind::Thread, draft.block()}};
  } else {
    layout.laneDim = 1;
    layout.dims = {{0, last, draft.outer}, {last, last + 1, draft.columns / draft.lanes, draft.lanes}, elements};
    layout.parts = {{0, Bind::Grid, draft.outer},
                    {1, Bind::Grid, draft.tiles(), draft.across},
                    {2, Bind::Serial, ceilDiv(steps, unrolled)},
                    {2, Bind::Unrolled, unrolled},
                    {2, draft.gridSplits > 1 ? Bind::Grid : Bind::Cluster, draft.splits()},
                    {2, Bind::Thread, draft.down},
                    {1, Bind::Thread, draft.across}};
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
  const ColumnDraft rules = draftColumns(*nest.reduction, nest.domain, target);
  if (!start.isChosen) return {scheduleOf(rules, *nest.reduction, nest.domain)};
  std::vector<Schedule> schedules;
  const auto add = [&](int across, int down, int splits) {
    ColumnDraft draft = rules;
    draft.across = across;
    draft.down = down;
    (rules.gridSplits > 1 ? draft.gridSplits : draft.ctas) = splits;
    if (across < 1 || down < 1 || splits < 1) return;
    const Schedule schedule = scheduleOf(draft, *nest.reduction, nest.domain);
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
  return scheduleOf(draftColumns(*nest.reduction, nest.domain, target), *nest.reduction, nest.domain);
}

/// Whether threads share a nest's rows or its columns in tiles, and nothing else.
bool isTiled(const Scheduled& one, bool alongElements) {
  const auto* layout = std::get_if<LayoutSchedule>(&one.schedule);
  return layout != nullptr && layout->staging == Staging::None && !layout->isPersistentKernel() && one.nest.hasReductions() &&
         one.nest.domain.runsAlongElements() == alongElements;
}

/// Columns under as many threads as a CTA of rows has, where each row has one CTA and all fits in the cache.
std::optional<Schedule> columnsBeside(const Scheduled& columns, const Scheduled& rows, const ir::Target& target) {
  if (!isTiled(columns, false) || !isTiled(rows, true)) return std::nullopt;
  if (touchedBytes({&columns.nest, &rows.nest}) >= target.cacheBytes) return std::nullopt;
  const Layout& row = std::get<LayoutSchedule>(rows.schedule).layout;
  for (std::size_t d = 1; d < row.dims.size(); ++d)
    if (row.splits(d) > 1) return std::nullopt;
  const ReductionNest& nest = *columns.nest.reduction;
  const int block = static_cast<int>(row.extent(Bind::Thread));
  const ColumnDraft draft = withBlock(draftColumns(nest, columns.nest.domain, target), block);
  return draft.block() == block ? std::optional(scheduleOf(draft, nest, columns.nest.domain)) : std::nullopt;
}

const ScheduleRule columns{{.order = 70, .choose = chooseColumns, .others = otherColumns, .beside = columnsBeside}};

}  // namespace

}  // namespace lowering
