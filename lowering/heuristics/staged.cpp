#include "lowering/heuristics/staged.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>
#include <numeric>

#include "lowering/analysis/reuse.h"
#include "lowering/analysis/row_accesses.h"
#include "lowering/heuristics/gpu_limits.h"
#include "lowering/heuristics/limits.h"
#include "lowering/heuristics/schedule.h"

namespace lowering {
namespace {

/// Loads and stores that are staged.
std::vector<const Access*> stagedAccesses(const IterationDomain& domain) {
  std::vector<const Access*> found;
  for (const std::vector<Access>* all : {&domain.loads(), &domain.stores()})
    for (const Access& access : *all)
      if (isStaged(domain, access)) found.push_back(&access);
  return found;
}

/// Whether neighbouring rows share what is read: little of a tile.
bool isShared(const IterationDomain& domain, const Access& access) { return domain.isUniform(access, domain.elementDims() - 1); }

bool runsAlong(const IterationDomain& domain, const Access& access, std::size_t begin, std::size_t end) {
  for (std::size_t d = begin; d < end; ++d)
    if (domain.dims()[d].extent > 1 && domain.stride(access, d) == 1) return true;
  return false;
}

/// Whether a large tensor lies in rows within a cache line: of 4-byte words at best where every element has a result, or else of
/// vectors that leave almost half of a group of threads idle.
bool hasShortOddRows(const IterationDomain& domain, const ir::Target& target) {
  const std::vector<const Access*> accesses = stagedAccesses(domain);
  const int64_t elements = domain.numel(domain.elementDims(), domain.dims().size());
  const auto reads = std::count_if(accesses.begin(), accesses.end(), [](const Access* a) { return a->node != nullptr; });
  const bool hasResults = reads < std::ssize(accesses);
  const auto isShortAndOdd = [&](const Access* access) {
    const int64_t bytes = elements * access->elementBytes, vector = std::gcd(bytes, int64_t{target.vectorBytes});
    if (!domain.isInnerContiguous(*access) || bytes > limits::staged::shortRowBytes) return false;
    if (hasResults) return vector < target.vectorBytes / 2;
    const int64_t vectors = bytes / vector;
    return vectors > limits::staged::shortRowVectors && vectors <= ir::Target::warp &&
           groupOf(vectors) > limits::staged::idleThreads.of(vectors);
  };
  const auto add = [](int64_t sum, const Access* access) { return sum + access->elementBytes; };
  const int64_t bytes = domain.numel() * std::accumulate(accesses.begin(), accesses.end(), int64_t{0}, add);
  return bytes >= limits::staged::leastBytes && !accesses.empty() && std::all_of(accesses.begin(), accesses.end(), isShortAndOdd);
}

/// Whether short columns of a large tensor are summed of which only a few lie next to each other, less than half a cache line.
bool hasShortStretches(const IterationDomain& domain) {
  const std::vector<const Access*> accesses = stagedAccesses(domain);
  const std::size_t columns = domain.elementDims() - 1;
  const auto isShort = [&](const Access* access) {
    return domain.isContiguous(*access, columns) &&
           domain.dims()[columns].extent * access->elementBytes < limits::staged::shortSegmentBytes &&
           domain.numel() * access->elementBytes >= limits::staged::leastBytes;
  };
  const bool areShort = domain.numel(domain.elementDims(), domain.dims().size()) <= limits::staged::tileRows;
  return !domain.runsAlongElements() && areShort && domain.numel(0, columns) > 1 && !accesses.empty() &&
         std::all_of(accesses.begin(), accesses.end(), isShort);
}

/// Whether columns are read once whose elements, where a tensor has them side by side, are an odd number: a tile would be copied
/// one by one, and threads may as well read where it lies.
bool areOddColumns(const ReductionNest& nest, const IterationDomain& domain) {
  const std::vector<const Access*> accesses = stagedAccesses(domain);
  const auto isAlongColumns = [&](const Access* access) { return domain.isInnerContiguous(*access); };
  return nest.isReadOnce() && (domain.inner().extent % 2 != 0 || std::ranges::none_of(accesses, isAlongColumns));
}

/// The loads, staged or gathered, that more than one traversal needs.
std::vector<const Access*> repeatedReads(const ReductionNest& nest, const IterationDomain& domain) {
  const std::set<const ir::Expr*> repeated = repeatedLoads(nest);
  std::vector<const Access*> reads;
  for (const Access& load : domain.loads())
    if (repeated.contains(load.node) && (isStaged(domain, load) || !load.form)) reads.push_back(&load);
  return reads;
}

/// Registers of a thread for so many vectors of these.
int64_t heldRegisters(const std::vector<const Access*>& reads, int64_t vectors, int lanes) {
  constexpr int64_t bytes = 4;
  int64_t registers = 0;
  for (const Access* read : reads) registers += vectors * ceilDiv(lanes * read->elementBytes, bytes);
  return registers;
}

/// Bytes of shared memory an element of a tile takes; results are written over what was read, where they lie alike.
int64_t bytesOfElement(const IterationDomain& domain) {
  const auto liesLike = [&](const Access& a, const Access& b) {
    for (std::size_t d = 0; d < domain.dims().size(); ++d)
      if (domain.stride(a, d) != domain.stride(b, d)) return false;
    return a.elementBytes == b.elementBytes;
  };
  std::vector<const Access*> tiles;
  for (const Access* access : stagedAccesses(domain)) {
    const auto isAlike = [&](const Access* tile) { return access->node == nullptr && liesLike(*tile, *access); };
    if (isShared(domain, *access)) continue;
    if (std::none_of(tiles.begin(), tiles.end(), isAlike)) tiles.push_back(access);
  }
  const auto add = [](int64_t sum, const Access* tile) { return sum + tile->elementBytes; };
  return std::accumulate(tiles.begin(), tiles.end(), int64_t{0}, add);
}

/// Kept dims from the one along which some tensor's memory runs fastest.
std::vector<std::size_t> growingOrder(const IterationDomain& domain, const std::vector<const Access*>& accesses) {
  const auto nearest = [&](std::size_t d) {
    int64_t least = std::numeric_limits<int64_t>::max();
    for (const Access* access : accesses)
      if (const int64_t step = std::abs(domain.stride(*access, d)); step > 0) least = std::min(least, step);
    return least;
  };
  std::vector<std::size_t> dims(domain.elementDims());
  std::iota(dims.rbegin(), dims.rend(), std::size_t{0});
  std::stable_sort(dims.begin(), dims.end(), [&](std::size_t a, std::size_t b) { return nearest(a) < nearest(b); });
  return dims;
}

/// Rows next to each other that a vector of some tensor has.
int chooseStagedLanes(const IterationDomain& domain, const std::vector<const Access*>& accesses, const ir::Target& target) {
  const std::size_t dim = domain.elementDims() - 1;
  int most = 1;
  for (const Access* access : accesses) {
    if (!domain.isContiguous(*access, dim)) continue;
    int lanes = static_cast<int>(target.vectorBytes / access->elementBytes);
    while (lanes > 1 && domain.dims()[dim].extent % lanes != 0) lanes /= 2;
    most = std::max(most, lanes);
  }
  return most;
}

/// Takes the dims one after another while the tile is small.
void chooseTile(StagedDraft& draft, const IterationDomain& domain, const std::vector<const Access*>& accesses,
                const ir::Target& target, const StagedWish& wish) {
  const int64_t elements = domain.numel(domain.elementDims(), domain.dims().size());
  const int64_t rowBytes = elements * bytesOfElement(domain);
  const int64_t fits = std::min(std::max(limits::staged::fewestRows, ofShared(target, limits::staged::sharedBytes) / rowBytes),
                                wish.rows.value_or(std::numeric_limits<int64_t>::max()));
  // Threads along the elements of a tile read every so many words of it as its neighbouring rows have.
  const auto meetInBanks = [&](std::size_t d, int64_t rowsOfTile) {
    constexpr int64_t twoWords = 8;
    return std::any_of(accesses.begin(), accesses.end(), [&](const Access* access) {
      return domain.isContiguous(*access, d) && rowsOfTile * access->elementBytes % twoWords == 0;
    });
  };
  draft.tile.assign(domain.elementDims(), 1);
  int64_t rows = 1;
  for (const std::size_t d : growingOrder(domain, accesses)) {
    const int64_t extent = domain.dims()[d].extent;
    const int64_t enough = ceilDiv(limits::staged::tileElements, rows * elements);
    if (rows > 1 && enough <= 1) break;
    const int64_t wanted = rows == 1 ? std::max(limits::staged::tileRows, enough) : enough;
    const int64_t unit = rows == 1 ? std::gcd(extent, int64_t{target.vectorBytes / 2}) : 1;
    const int64_t ofProcessor = ceilDiv(domain.numel(0, domain.elementDims()), target.processors);
    const int64_t spread = std::max<int64_t>(2 * limits::staged::fewestRows, ofProcessor);
    const int64_t most = std::max(unit, std::min({extent, wanted, fits / rows, spread / rows}) / unit * unit);
    int64_t& tile = draft.tile[d] = ceilDiv(ceilDiv(extent, ceilDiv(extent, most)), unit) * unit;
    if (rows == 1 && unit == 1 && tile < extent && meetInBanks(d, tile)) --tile;
    rows *= tile;
    if (tile < extent) break;
  }
}

/// Threads for each vector of rows: of one warp, which needs no barrier to combine what they have, where that makes a CTA of
/// many threads, else of whole warps.
void layOut(StagedDraft& draft, int64_t elements, std::optional<int> group) {
  constexpr int64_t warp = ir::Target::warp;
  const int64_t vectors = draft.rowVectors();
  const int64_t wanted = draft.lanes == 1
                             ? ceilDiv(elements, limits::staged::threadElementsOfOne)
                             : std::max<int64_t>(limits::staged::leastGroup, ceilDiv(elements, limits::staged::threadElements));
  // A tile may have one row less for its banks. A row without neighbours in its vector is shared by two warps if it is long.
  const int64_t ofWarp = draft.lanes == 1 ? 2 * warp : warp;
  const int64_t widest = (vectors + 1) * warp >= limits::staged::manyThreads ? ofWarp : limits::staged::widestGroup;
  const int64_t rules = std::min<int64_t>(widest, std::bit_ceil(static_cast<uint64_t>(wanted)));
  const int64_t most = std::bit_floor(static_cast<uint64_t>(std::max<int64_t>(1, ir::Target::ctaThreads / vectors)));
  draft.group = static_cast<int>(std::clamp<int64_t>(group.value_or(rules), 1, most));
  const int64_t unit = std::max(static_cast<int>(warp), draft.group);
  draft.block = static_cast<int>(ceilDiv(vectors * draft.group, unit) * unit);
}

/// Elements that a thread reads at once of so many: about as many as rules ask for, and as few left over as can be.
int64_t elementsAtOnce(int64_t steps) {
  constexpr int64_t usual = limits::staged::elementsAtOnce;
  if (steps <= usual) return steps;
  int64_t best = usual;
  for (const int64_t unrolled : {usual + 1, usual - 1, usual / 2})
    if (ceilDiv(steps, unrolled) * unrolled < ceilDiv(steps, best) * best) best = unrolled;
  return best;
}

}  // namespace

int64_t StagedDraft::rowVectors() const {
  return std::accumulate(tile.begin(), tile.end(), int64_t{1}, std::multiplies<>()) / lanes;
}

int64_t StagedDraft::tiles(const IterationDomain& domain, std::size_t dim) const {
  return ceilDiv(domain.dims()[dim].extent, tile[dim]);
}

std::optional<std::size_t> StagedDraft::unevenDim(const IterationDomain& domain) const {
  for (std::size_t d = 0; d < tile.size(); ++d)
    if (domain.dims()[d].extent % tile[d] != 0) return d;
  return std::nullopt;
}

bool runsBothWays(const IterationDomain& domain) {
  std::vector<const Access*> accesses = stagedAccesses(domain);
  std::erase_if(accesses, [&](const Access* access) { return isShared(domain, *access); });
  const auto some = [&](std::size_t begin, std::size_t end) {
    const auto runs = [&](const Access* access) { return runsAlong(domain, *access, begin, end); };
    return std::any_of(accesses.begin(), accesses.end(), runs);
  };
  return some(0, domain.elementDims()) && some(domain.elementDims(), domain.dims().size());
}

std::optional<StagedDraft> stagedDraft(const ReductionNest& nest, const IterationDomain& domain, const ir::Target& target,
                                       const StagedWish& wish) {
  const std::vector<const Access*> accesses = stagedAccesses(domain);
  if (bytesOfElement(domain) == 0) return std::nullopt;
  StagedDraft draft;
  chooseTile(draft, domain, accesses, target, wish);
  draft.lanes = static_cast<int>(std::gcd(chooseStagedLanes(domain, accesses, target), draft.tile.back()));
  const int64_t elements = domain.numel(domain.elementDims(), domain.dims().size()), vectors = draft.rowVectors();
  const bool fits =
      vectors * draft.lanes * elements * bytesOfElement(domain) <= ofShared(target, limits::staged::mostSharedBytes);
  if (!fits || vectors > ir::Target::ctaThreads) return std::nullopt;
  layOut(draft, elements, wish.group);
  const std::vector<const Access*> reads = repeatedReads(nest, domain);
  const bool gathersAgain = std::any_of(reads.begin(), reads.end(), [](const Access* read) { return !read->form; });
  // Shared memory is fast enough for narrower vectors.
  const bool areWhole = std::all_of(reads.begin(), reads.end(),
                                    [&](const Access* read) { return draft.lanes * read->elementBytes >= target.vectorBytes; });
  const bool isHeld = (!runsBothWays(domain) || gathersAgain || areWhole) &&
                      heldRegisters(reads, ceilDiv(elements, draft.group), draft.lanes) <= limits::staged::mostHeldRegisters;
  draft.isHeld = wish.isHeld.value_or(isHeld) && !reads.empty();
  return draft;
}

std::optional<StagedDraft> draftTiles(const ReductionNest& nest, const IterationDomain& domain, const ir::Target& target) {
  const bool areTiles = runsBothWays(domain) && !areOddColumns(nest, domain);
  if (!areTiles && !hasShortOddRows(domain, target) && !hasShortStretches(domain)) return std::nullopt;
  return stagedDraft(nest, domain, target);
}

LayoutSchedule scheduleOf(const StagedDraft& draft, const IterationDomain& domain) {
  const std::size_t kept = domain.elementDims();
  const int64_t elements = domain.numel(kept, domain.dims().size()), steps = ceilDiv(elements, draft.group);
  const int64_t unrolled = draft.isHeld ? steps : elementsAtOnce(steps);
  LayoutSchedule schedule;
  schedule.hold = draft.isHeld ? Hold::Registers : Hold::Nowhere;
  schedule.keepsFunctions = draft.isHeld;
  schedule.staging = Staging::All;
  Layout layout;
  layout.laneDim = kept - 1;
  layout.block = draft.block;
  for (std::size_t d = 0; d < kept; ++d) {
    const int lanes = d == layout.laneDim ? draft.lanes : 1;
    layout.dims.push_back({d, d + 1, ceilDiv(domain.dims()[d].extent, lanes), lanes});
    layout.parts.push_back({d, Bind::Grid, draft.tiles(domain, d), draft.tile[d] / lanes});
  }
  layout.dims.push_back({kept, domain.dims().size(), elements});
  for (std::size_t d = 0; d < kept; ++d) {
    const bool isLast = d == layout.laneDim;
    layout.parts.push_back({d, Bind::Thread, draft.tile[d] / (isLast ? draft.lanes : 1), 0, isLast ? draft.group : 0});
  }
  layout.parts.insert(
      layout.parts.end(),
      {{kept, Bind::Serial, ceilDiv(steps, unrolled)}, {kept, Bind::Unrolled, unrolled}, {kept, Bind::Thread, draft.group}});
  schedule.layout = simplified(std::move(layout));
  return schedule;
}

namespace {

/// Threads that share the elements of rows, how many rows a tile has, and whether these stay in registers.
std::vector<Schedule> otherStaged(const LoopNest& nest, const ir::Target& target, const TuningStart& start) {
  if (!nest.hasReductions()) return {};
  const std::optional<StagedDraft> tiles = stagedDraft(*nest.reduction, nest.domain, target);
  if (!tiles) return {};
  if (!start.isChosen) return {scheduleOf(*tiles, nest.domain)};
  const StagedDraft& rules = *tiles;
  std::vector<Schedule> schedules;
  const int64_t half = rules.rowVectors() * rules.lanes / 2;
  for (const StagedWish& wish :
       {StagedWish{.group = rules.group * 2}, {.group = rules.group / 2}, {.rows = half}, {.isHeld = !rules.isHeld}})
    if (const std::optional<StagedDraft> draft = stagedDraft(*nest.reduction, nest.domain, target, wish))
      schedules.emplace_back(scheduleOf(*draft, nest.domain));
  return schedules;
}

std::optional<Schedule> chooseStaged(const LoopNest& nest, const ir::Target& target) {
  if (!nest.hasReductions()) return std::nullopt;
  const std::optional<StagedDraft> tiles = draftTiles(*nest.reduction, nest.domain, target);
  return tiles ? std::optional<Schedule>(scheduleOf(*tiles, nest.domain)) : std::nullopt;
}

const ScheduleRule staged{{.order = 40, .choose = chooseStaged, .others = otherStaged}};

}  // namespace

}  // namespace lowering
