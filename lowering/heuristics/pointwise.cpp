#include "lowering/heuristics/pointwise.h"

#include <algorithm>

#include "ir/index/ceil_div.h"
#include "ir/walk.h"
#include "lowering/analysis/gather.h"
#include "lowering/heuristics/few_points.h"
#include "lowering/heuristics/limits.h"
#include "lowering/heuristics/schedule.h"

namespace lowering {
namespace {

template <typename Property>
bool storesAre(const IterationDomain& domain, Property property) {
  return std::all_of(domain.stores().begin(), domain.stores().end(), property);
}

/// Bytes of the smallest and largest element among accesses that run along the inner dim. Accesses that are repeated along
/// others, which the caches hold, do not make vectors longer.
struct ElementRange {
  int64_t smallest, largest;
};
ElementRange contiguousElements(const IterationDomain& domain) {
  ElementRange range{domain.stores().front().elementBytes, domain.stores().front().elementBytes};
  const auto include = [&](const Access& access) {
    if (!domain.isInnerContiguous(access)) return;
    bool isRepeated = false;
    for (std::size_t d = 0; d < domain.innermost(); ++d) isRepeated = isRepeated || domain.isUniform(access, d);
    if (!isRepeated) range.smallest = std::min(range.smallest, access.elementBytes);
    range.largest = std::max(range.largest, access.elementBytes);
  };
  for (const Access& access : domain.stores()) include(access);
  for (const Access& access : domain.loads()) include(access);
  return range;
}

/// Elements of the widest vectors that are worth it: of one tensor two of the hardware's where element sizes are mixed.
int widestVector(const IterationDomain& domain, const ir::Target& target) {
  const ElementRange elements = contiguousElements(domain);
  return static_cast<int>(
      std::max<int64_t>(1, std::min(target.vectorBytes / elements.smallest, 2 * target.vectorBytes / elements.largest)));
}

/// Sums that a thread may add to at once; else neighbouring threads combine with neighbouring elements.
int widestAddition(const IterationDomain& domain, const ir::Target& target) {
  const auto isSum = [](const Access& store) { return store.accumulate == ir::Op::Add && store.dtype == ir::DType::F32; };
  return storesAre(domain, isSum) ? static_cast<int>(target.atomicBytes() / ir::sizeOf(ir::DType::F32)) : 1;
}

/// The widest vectors in which all results are stored, up to so many elements.
void chooseVectors(PointwiseDraft& draft, const IterationDomain& domain, int widest) {
  const bool oneDim = domain.dims().size() == 1;
  for (draft.lanes = widest; draft.lanes > 1; draft.lanes /= 2) {
    const bool rows = oneDim || domain.inner().extent % draft.lanes == 0;
    const auto isVector = [&](const Access& store) {
      return domain.isInnerContiguous(store) && domain.isAligned(store, draft.lanes, domain.innermost());
    };
    if (rows && storesAre(domain, isVector)) return;
    if (domain.accumulates()) continue;
    draft.isFlat = !oneDim && storesAre(domain, [&](const Access& store) { return domain.isFlat(store, draft.lanes); });
    if (draft.isFlat) return;
  }
}

/// Bytes a thread reads and writes, uniform reads left out.
int64_t threadBytes(const IterationDomain& domain, int lanes) {
  int64_t bytes = 0;
  for (const Access& access : domain.stores()) bytes += access.elementBytes * lanes;
  for (const Access& access : domain.loads()) bytes += domain.isInnerUniform(access) ? 0 : access.elementBytes * lanes;
  return bytes;
}

/// Whether a thread reads the place of a vector before the vector, as in rows that are gathered.
bool readsRowsElsewhere(const IterationDomain& domain) {
  return std::any_of(domain.loads().begin(), domain.loads().end(), [&](const Access& load) {
    return domain.isInnerContiguous(load) && !ir::loadsIn({load.node->src[0]}).empty();
  });
}

/// Vectors of a thread that stores a part of much, and whose time is the wait for what it reads first: for what is the same along
/// rows, and nothing else, or for the places of rows.
int waitingVectors(const IterationDomain& domain) {
  int64_t bytes = 0;
  for (const Access& store : domain.stores()) bytes += domain.numel() * store.elementBytes;
  if (domain.loads().empty() || domain.accumulates() || bytes < limits::pointwise::largeStoreBytes) return 1;
  const auto isUniform = [&](const Access& load) { return domain.isInnerUniform(load); };
  if (std::all_of(domain.loads().begin(), domain.loads().end(), isUniform)) return limits::pointwise::broadcastVectors;
  return readsRowsElsewhere(domain) ? limits::pointwise::rowVectors : 1;
}

/// The narrow vectors of a thread that are as many bytes together as a wide one, or fewer where threads would not fill the
/// device.
int narrowVectors(const PointwiseDraft& draft, const IterationDomain& domain, const ir::Target& target) {
  if (draft.isFlat || domain.accumulates()) return 1;
  const int64_t vectors = domain.numel() / draft.lanes, bytes = contiguousElements(domain).largest * draft.lanes;
  int64_t steps = std::max<int64_t>(1, target.vectorBytes / bytes);
  while (steps > 1 && vectors < steps * target.processors * limits::pointwise::narrowThreads) steps /= 2;
  return static_cast<int>(steps);
}

/// Points of the outermost dims on which no load's address or mask depends but by steps.
int64_t regularPoints(const IterationDomain& domain) {
  std::size_t d = 0;
  const auto isRegular = [&](const Access& load) { return !isIrregular(domain, load, d); };
  while (d < domain.innermost() && std::all_of(domain.loads().begin(), domain.loads().end(), isRegular)) ++d;
  return domain.numel(0, d);
}

/// Equal parts of a domain at whose places addresses and masks are the same but for steps, of which a thread takes one each: more
/// where addresses are computed, one where a thread stores much.
int partsOf(const IterationDomain& domain, int lanes, const ir::Target& target) {
  const auto isComputed = [](const Access& load) { return !load.form; };
  const bool areComputed = std::any_of(domain.loads().begin(), domain.loads().end(), isComputed);
  int64_t stored = 0;
  for (const Access& store : domain.stores()) stored += store.elementBytes * lanes;
  const int64_t points = regularPoints(domain);
  for (int parts = areComputed ? limits::pointwise::computedParts : stored <= target.vectorBytes ? 2 : 1; parts > 1; --parts) {
    const bool areEqual = points % parts == 0 && domain.numel() % (int64_t{parts} * lanes) == 0;
    if (areEqual && domain.numel() / (parts * lanes) >= int64_t{target.processors} * limits::pointwise::narrowThreads)
      return parts;
  }
  return 1;
}

/// Makes vectors as short as one access stores, where two of them still leave threads enough: two accesses of a thread would each
/// leave half of every sector to the other.
void shortenStores(PointwiseDraft& draft, const IterationDomain& domain, const ir::Target& target) {
  if (draft.isFlat || domain.accumulates()) return;
  int64_t bytes = 0;
  for (const Access& store : domain.stores()) bytes = std::max<int64_t>(bytes, store.elementBytes * draft.lanes);
  const int64_t threads = domain.numel() / draft.lanes;
  if (bytes <= target.vectorBytes || threads < int64_t{target.processors} * limits::pointwise::narrowThreads) return;
  draft.lanes /= 2;
  draft.steps = 2;
}

/// Whether elements gather so much that vectors are shorter, whose neighbours read neighbours.
bool chooseGathering(PointwiseDraft& draft, const IterationDomain& domain, const ir::Target& target) {
  if (domain.accumulates()) return false;
  const int widest = widestVector(domain, target);
  const int lanes = lanesGathering(domain, domain.innermost(), widest, limits::pointwise::gatheredBytes);
  if (lanes == widest) return false;
  chooseVectors(draft, domain, lanes);
  draft.parts = partsOf(domain, draft.lanes, target);
  return true;
}

}  // namespace

PointwiseDraft draftPointwise(const LoopNest& nest, const ir::Target& target) {
  const IterationDomain& domain = nest.domain;
  PointwiseDraft draft;
  if (chooseGathering(draft, domain, target)) return draft;
  const int widest = domain.accumulates() ? widestAddition(domain, target) : widestVector(domain, target);
  chooseVectors(draft, domain, std::min(widest, mostLanes(nest, target)));
  const bool isLittle = threadBytes(domain, draft.lanes) * limits::gpu::usualBlock < limits::pointwise::leastCtaBytes;
  draft.block = isLittle ? limits::pointwise::wideBlock : limits::gpu::usualBlock;
  if (const int steps = narrowVectors(draft, domain, target); steps > 1) {
    draft.steps = steps;
    draft.block = limits::gpu::usualBlock;
  }
  shortenStores(draft, domain, target);
  if (const int steps = waitingVectors(domain); steps > 1) {
    draft.steps = steps;
    draft.block = limits::gpu::usualBlock;
  }
  return draft;
}

LayoutSchedule scheduleOf(const PointwiseDraft& draft, const IterationDomain& domain) {
  const int64_t vectors = ceilDiv(domain.numel(), draft.lanes);
  LayoutSchedule schedule;
  schedule.isFlat = draft.isFlat;
  schedule.readsAhead = draft.steps > 1 && !draft.isFlat && domain.isInPlace();  // a store might be what is read next
  schedule.isAtomic = domain.accumulates();  // also where none meet, as threads then wait for no element
  Layout layout;
  layout.dims = {{0, domain.dims().size(), vectors, draft.lanes}};
  const int64_t part = vectors / draft.parts;
  if (draft.parts > 1) layout.parts.push_back({0, Bind::Unrolled, draft.parts, part});
  layout.parts.insert(layout.parts.end(), {{0, Bind::Grid, ceilDiv(part, int64_t{draft.block} * draft.steps)},
                                           {0, Bind::Unrolled, draft.steps},
                                           {0, Bind::Thread, draft.block}});
  schedule.layout = simplified(std::move(layout));
  return schedule;
}

namespace {

/// Vectors of other lengths, and of several equal parts of the domain, for loops that gather.
std::vector<Schedule> othersOfGathering(const IterationDomain& domain, const ir::Target& target) {
  std::vector<Schedule> schedules;
  const int64_t points = regularPoints(domain);
  for (int lanes = 1; lanes <= widestVector(domain, target); lanes *= 2)
    for (const int parts : {1, 2, 4, 8}) {
      PointwiseDraft draft;
      chooseVectors(draft, domain, lanes);
      draft.parts = parts;
      const bool areEqual = points % parts == 0 && domain.numel() % (int64_t{parts} * lanes) == 0;
      if (draft.lanes == lanes && (parts == 1 || areEqual)) schedules.emplace_back(scheduleOf(draft, domain));
    }
  return schedules;
}

/// Other vectors a thread, and other threads of a CTA; for transpositions the rule's own.
std::vector<Schedule> otherPointwise(const LoopNest& nest, const ir::Target& target, const TuningStart& start) {
  if (nest.reduction) return {};
  const PointwiseDraft rules = draftPointwise(nest, target);
  if (!start.isChosen) return {scheduleOf(rules, nest.domain)};
  const int widest = widestVector(nest.domain, target);
  if (!nest.domain.accumulates() && gatheredBytes(nest.domain, nest.domain.innermost(), widest) > 0)
    return othersOfGathering(nest.domain, target);
  std::vector<Schedule> schedules;
  for (const int steps : {1, 2, 4})
    for (const int block : {128, 256, 512}) {
      PointwiseDraft draft = rules;
      draft.steps = steps;
      draft.block = block;
      LayoutSchedule schedule = scheduleOf(draft, nest.domain);
      if (const auto* own = std::get_if<LayoutSchedule>(&start.own)) schedule.isBackwards = own->isBackwards;
      schedules.emplace_back(schedule);
    }
  return schedules;
}

std::optional<Schedule> choosePointwise(const LoopNest& nest, const ir::Target& target) {
  if (nest.reduction) return std::nullopt;
  return scheduleOf(draftPointwise(nest, target), nest.domain);
}

/// Under as many threads as the CTAs of reductions have, where both are so small that a launch takes longer than either.
std::optional<Schedule> pointwiseBeside(const Scheduled& elements, const Scheduled& rows, const ir::Target& target) {
  const auto* own = std::get_if<LayoutSchedule>(&elements.schedule);
  const auto* others = std::get_if<LayoutSchedule>(&rows.schedule);
  if (elements.nest.reduction || !rows.nest.hasReductions() || own == nullptr || others == nullptr) return std::nullopt;
  if (own->staging != Staging::None || others->staging != Staging::None || others->isPersistentKernel()) return std::nullopt;
  if (elements.nest.domain.numel() + rows.nest.domain.numel() > limits::launches::smallElements) return std::nullopt;
  PointwiseDraft draft = draftPointwise(elements.nest, target);
  draft.block = static_cast<int>(others->layout.extent(Bind::Thread));
  return scheduleOf(draft, elements.nest.domain);
}

const ScheduleRule pointwise{{.order = 20, .choose = choosePointwise, .others = otherPointwise, .beside = pointwiseBeside}};

}  // namespace

}  // namespace lowering
