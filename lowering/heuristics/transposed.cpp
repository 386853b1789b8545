#include "lowering/heuristics/transposed.h"

#include <algorithm>
#include <bit>
#include <span>

#include "ir/index/ceil_div.h"
#include "lowering/heuristics/gpu_limits.h"
#include "lowering/heuristics/limits.h"
#include "lowering/heuristics/schedule.h"

namespace lowering {
namespace {

int64_t bitCeil(int64_t value) { return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(value))); }

bool hasSums(const Transposition& transposition) { return !transposition.nest.reductions.empty(); }

/// The stores of a transposition's elements: of its vectors. A sum is stored by itself.
std::span<const Access> elementStores(const Transposition& transposition) {
  return std::span(transposition.domain.stores()).subspan(transposition.nest.rowStores.size());
}

/// `use` for every access of a transposition's elements.
template <typename Use>
void forAccesses(const Transposition& transposition, Use use) {
  for (const Access& access : transposition.domain.loads()) use(access);
  for (const Access& access : elementStores(transposition)) use(access);
}

/// Of what moves along the store's axis.
int64_t widestElement(const Transposition& transposition) {
  const IterationDomain& domain = transposition.domain;
  int64_t widest = 1;
  forAccesses(transposition, [&](const Access& access) {
    if (!domain.isUniform(access, domain.elementDims() - 1)) widest = std::max(widest, access.elementBytes);
  });
  return widest;
}

/// Bytes of the tensors that cross the store, each element once.
int64_t crossingBytes(const Transposition& transposition) {
  const IterationDomain& domain = transposition.domain;
  int64_t bytes = 0;
  forAccesses(transposition, [&](const Access& access) {
    if (!crosses(domain, access)) return;
    int64_t elements = 1;
    for (std::size_t d = 0; d < domain.dims().size(); ++d) elements *= domain.isUniform(access, d) ? 1 : domain.dims()[d].extent;
    bytes += access.elementBytes * elements;
  });
  return bytes;
}

/// Bytes of shared memory for an element of a tile.
int64_t tileBytes(const Transposition& transposition) {
  int64_t bytes = 0;
  forAccesses(transposition,
              [&](const Access& access) { bytes += crosses(transposition.domain, access) ? access.elementBytes : 0; });
  return bytes;
}

/// The widest vectors in which what runs along the store's axis is aligned.
int chooseLanes(const Transposition& transposition, const ir::Target& target) {
  const IterationDomain& domain = transposition.domain;
  const std::span<const Access> stores = elementStores(transposition);
  const std::size_t along = domain.elementDims() - 1;
  const auto fits = [&](int lanes) {
    if (domain.dims()[along].extent % lanes != 0) return false;
    return std::all_of(stores.begin(), stores.end(),
                       [&](const Access& store) { return crosses(domain, store) || domain.isAligned(store, lanes, along); });
  };
  int lanes = static_cast<int>(target.vectorBytes / widestElement(transposition));
  while (lanes > 1 && !fits(lanes)) lanes /= 2;
  return std::max(lanes, 1);
}

/// The rows of the first store that a tile takes: several where rows are shorter than a cache line and follow one another in
/// memory, else 1.
int64_t rowsOfTile(const IterationDomain& domain) {
  if (domain.elementDims() < 2) return 1;
  const std::size_t along = domain.elementDims() - 1;
  const Access& store = domain.stores().front();
  const int64_t run = domain.dims()[along].extent, rows = domain.dims()[along - 1].extent;
  const bool isShort = run * store.elementBytes < ir::Target::lineBytes;
  if (!isShort || !domain.isContiguous(store, along) || domain.stride(store, along - 1) != run) return 1;
  const int64_t most = std::max<int64_t>(1, limits::transposed::rowElements / run);
  return ceilDiv(rows, ceilDiv(rows, most));  // as many in each tile
}

/// Tiles of whole rows of the store.
TransposedDraft tilesOfRows(const IterationDomain& domain, int64_t rows, int lanes) {
  const int64_t along = domain.dims()[domain.elementDims() - 1].extent;
  TransposedDraft draft{lanes, along, std::min(bitCeil(domain.inner().extent), limits::transposed::rowsAcross), 0, rows};
  const int64_t threads = rows * draft.threadsAlong();
  int64_t threadsAcross = 1;
  while (2 * threadsAcross * threads <= limits::transposed::block && 2 * threadsAcross <= draft.across) threadsAcross *= 2;
  draft.block = static_cast<int>(threads * threadsAcross);
  return draft;
}

/// Tiles that are a square, or all of a short axis and more of the other one.
TransposedDraft squareTiles(const IterationDomain& domain, int lanes) {
  const int64_t along = domain.dims()[domain.elementDims() - 1].extent, across = domain.inner().extent;
  TransposedDraft draft;
  draft.lanes = lanes;
  const int64_t side = limits::transposed::tileSide, tile = side * side;
  draft.along = std::min(bitCeil(along), side);
  draft.across = std::min(bitCeil(across), side);
  if (draft.along < side) draft.across = std::min(bitCeil(across), tile / draft.along);
  if (draft.across < side) draft.along = std::min(bitCeil(along), tile / draft.across);
  draft.along = std::clamp<int64_t>(draft.along, draft.lanes, int64_t{draft.lanes} * limits::transposed::block);
  return draft;
}

/// The same tiles with their threads, or halves of them where these are few or their vectors narrow, but for tiles with sums.
TransposedDraft withThreads(TransposedDraft draft, const Transposition& transposition, const ir::Target& target) {
  const IterationDomain& domain = transposition.domain;
  const int64_t along = domain.dims()[domain.elementDims() - 1].extent, across = domain.inner().extent;
  const bool isFew = ceilDiv(domain.numel(), draft.along * draft.across) < limits::transposed::fewestTiles * target.processors;
  const bool isNarrow = draft.lanes * widestElement(transposition) < limits::transposed::wordBytes &&
                        std::min(along, across) > limits::transposed::tileSide;
  if (!hasSums(transposition) && (isFew || isNarrow)) draft.across = std::max<int64_t>(1, draft.across / 2);
  draft.block = limits::transposed::block;
  while (draft.threadsAlong() * draft.across < draft.block) draft.block /= 2;
  draft.block = std::max(draft.block, ir::Target::warp);
  draft.across = std::max<int64_t>(draft.across, draft.threadsAcross());
  return draft;
}

}  // namespace

std::optional<TransposedDraft> draftTransposition(const Transposition& transposition, const ir::Target& target) {
  const IterationDomain& domain = transposition.domain;
  const int64_t along = domain.dims()[domain.elementDims() - 1].extent, across = domain.inner().extent;
  if (crossingBytes(transposition) < limits::transposed::leastBytes) return std::nullopt;
  if (std::min(along, across) < limits::transposed::shortestAxis) return std::nullopt;

  const int lanes = chooseLanes(transposition, target);
  const int64_t rows = rowsOfTile(domain);
  const TransposedDraft draft = rows > 1 ? tilesOfRows(domain, rows, lanes) : squareTiles(domain, lanes);
  const int64_t elements = rows * std::min(along, draft.along) * std::min(across, draft.across);
  const int64_t sharedBytes = tileBytes(transposition) * rows * (draft.along + draft.lanes) * draft.across;
  if (elements < limits::transposed::leastElements || sharedBytes > ofShared(target, limits::transposed::sharedBytes))
    return std::nullopt;
  // A tile has all that its sums are made of.
  if (hasSums(transposition) && (rows > 1 || draft.across < across)) return std::nullopt;
  const TransposedDraft whole = rows > 1 ? draft : withThreads(draft, transposition, target);
  return hasSums(transposition) && whole.threadsAcross() < lanes ? std::nullopt : std::optional(whole);
}

LayoutSchedule scheduleOf(const TransposedDraft& draft, const IterationDomain& domain) {
  const std::size_t across = domain.elementDims(), along = across - 1;
  const auto extent = [&](std::size_t d) { return domain.dims()[d].extent; };
  LayoutSchedule schedule;
  schedule.staging = Staging::Crossing;
  Layout layout;
  layout.laneDim = along;
  for (std::size_t d = 0; d < along; ++d) {
    layout.dims.push_back({d, d + 1, extent(d)});
    const int64_t rows = d + 1 == along ? draft.rows : 1;
    layout.parts.push_back({d, Bind::Grid, ceilDiv(extent(d), rows), rows});
  }
  layout.dims.push_back({along, across, extent(along) / draft.lanes, draft.lanes});
  layout.dims.push_back({across, across + 1, extent(across)});
  layout.parts.insert(layout.parts.end(), {{across, Bind::Grid, ceilDiv(extent(across), draft.across), draft.across},
                                           {along, Bind::Grid, ceilDiv(extent(along), draft.along), draft.threadsAlong()},
                                           {across, Bind::Unrolled, draft.steps()},
                                           {across, Bind::Thread, draft.threadsAcross()}});
  if (draft.rows > 1) layout.parts.push_back({along - 1, Bind::Thread, draft.rows});
  layout.parts.push_back({along, Bind::Thread, draft.threadsAlong()});
  schedule.layout = simplified(std::move(layout));
  return schedule;
}

namespace {

/// Other tiles, and other threads of a CTA.
std::vector<Schedule> otherTransposed(const LoopNest& nest, const ir::Target& target, const TuningStart& start) {
  if (!start.isChosen) return {};
  const TransposedDraft rules = *draftTransposition(*nest.transposition, target);
  std::vector<Schedule> schedules;
  const auto add = [&](int64_t along, int64_t across, int block) {
    const TransposedDraft draft{rules.lanes, along, across, block, rules.rows};
    if (along >= rules.lanes && block <= ir::Target::ctaThreads && draft.threadsAcross() > 0 && draft.steps() > 0)
      schedules.emplace_back(scheduleOf(draft, nest.transposition->domain));
  };
  add(rules.along, rules.across, rules.block * 2);
  add(rules.along, rules.across, rules.block / 2);
  add(rules.along / 2, rules.across, rules.block);
  add(rules.along, rules.across / 2, rules.block);
  add(rules.along * 2, rules.across, rules.block);
  add(rules.along, rules.across * 2, rules.block);
  return schedules;
}

std::optional<Schedule> chooseTransposed(const LoopNest& nest, const ir::Target& target) {
  const auto tiles = nest.transposition ? draftTransposition(*nest.transposition, target) : std::nullopt;
  return tiles ? std::optional<Schedule>(scheduleOf(*tiles, nest.transposition->domain)) : std::nullopt;
}

const ScheduleRule transposed{{.order = 10, .choose = chooseTransposed, .others = otherTransposed}};

}  // namespace

}  // namespace lowering
