#include "lowering/heuristics/rows.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include "ir/index/ceil_div.h"
#include "ir/walk.h"
#include "lowering/analysis/reuse.h"
#include "lowering/analysis/row_accesses.h"
#include "lowering/heuristics/few_points.h"
#include "lowering/heuristics/limits.h"
#include "lowering/heuristics/row_layout.h"
#include "lowering/heuristics/schedule.h"
#include "lowering/heuristics/segments.h"

namespace lowering {
namespace {

/// What an element of a row is read as and written as.
struct RowAccesses {
  std::vector<const Access*> contiguous;  ///< that move from row to row and run along the innermost dim
  int64_t readBytes = 0;                  ///< of an element, of the loads
  int64_t held = 0, heldBytes = 0;        ///< the loads that more than one traversal needs: how many, and bytes of an element
  int64_t commonBytes = 0;                ///< of an element, of the loads along it that all rows share, such as weights
  int64_t widest = 1, narrowest = 8;      ///< bytes of an element of `contiguous`
  int64_t bytes = 0;                      ///< of an element, of all accesses
  int64_t widestBytes = 0;                ///< of an element, of the accesses of the widest dtype
  int64_t stored = 0, storedWidest = 0;   ///< of an element, of all stores, and of stores of the widest dtype
  HeldValues values = {};                 ///< what is held in place of loads
};

RowAccesses accessesOf(const ReductionNest& nest, const IterationDomain& domain) {
  const std::set<const ir::Expr*> repeated = repeatedLoads(nest);
  std::set<const ir::Expr*> seen;
  RowAccesses found{.values = heldValues(nest, domain)};
  const auto add = [&](const Access& access) {
    const auto value = found.values.find(access.node);
    if (value != found.values.end() && !seen.insert(value->second).second) return;
    if (!isRowAccess(domain, access) && value == found.values.end()) {
      if (access.node != nullptr && domain.isInnerContiguous(access)) found.commonBytes += access.elementBytes;
      return;
    }
    if (!access.isMasked()) found.contiguous.push_back(&access);
    if (access.elementBytes > found.widest) found.widestBytes = found.storedWidest = 0;
    found.widest = std::max(found.widest, access.elementBytes);
    found.narrowest = std::min(found.narrowest, access.elementBytes);
    if (access.elementBytes == found.widest) found.widestBytes += access.elementBytes;
    found.bytes += access.elementBytes;
    if (access.node == nullptr) {
      found.stored += access.elementBytes;
      found.storedWidest += access.elementBytes == found.widest ? access.elementBytes : 0;
      return;
    }
    found.readBytes += access.elementBytes;
    if (!repeated.contains(access.node)) return;
    ++found.held;
    found.heldBytes += access.elementBytes;
  };
  for (const Access& access : domain.loads()) add(access);
  for (std::size_t i = nest.rowStores.size(); i < domain.stores().size(); ++i) add(domain.stores()[i]);
  return found;
}

/// Elements of the widest vectors that are worth it: 16 bytes of the narrowest dtype, but no more than 32 bytes of the widest; or
/// no more than 16 where most of the bytes have the widest dtype, or most bytes that several stores have. A warp that stores 32
/// bytes a thread leaves a gap between any two, which its next store fills.
int widestLanes(const RowAccesses& accesses, const ir::Target& target) {
  // Rows of an RMS norm with two float32 results, bf16[2048, 2048], take 23.9 us in vectors of 16 bytes, and 28.0 in wider ones.
  const bool areSeveral = accesses.storedWidest > accesses.widest && 2 * accesses.storedWidest >= accesses.stored;
  const bool areMostWide = 2 * accesses.widestBytes >= accesses.bytes || areSeveral;
  const int64_t ofWidest = (areMostWide ? 1 : 2) * target.vectorBytes / accesses.widest;
  return static_cast<int>(std::min(target.vectorBytes / accesses.narrowest, ofWidest));
}

int chooseLanes(const IterationDomain& domain, const RowAccesses& accesses, const ir::Target& target) {
  if (accesses.contiguous.empty()) return 1;
  int lanes = widestLanes(accesses, target);
  const auto fits = [&](const Access* access) { return domain.isAligned(*access, lanes, domain.innermost()); };
  while (lanes > 1 &&
         (domain.inner().extent % lanes != 0 || !std::all_of(accesses.contiguous.begin(), accesses.contiguous.end(), fits)))
    lanes /= 2;
  return lanes;
}

/// Whether a plain row of one tensor that is traversed again has vectors of 4 bytes at most, as many as a part of a warp holds.
/// An aligned cover would take fewer accesses, and more instructions for its masks.
bool isNarrow(const RowDraft& draft, const RowAccesses& accesses) {
  return !draft.hasRuns() && accesses.held == 1 && draft.lanes * accesses.widest <= limits::rows::narrowVectorBytes &&
         draft.runVectors <= warp * limits::rows::mostNarrowVectors;
}

/// The widest vectors that the runs consist of, or an aligned cover where these are narrow.
void chooseVectors(RowDraft& draft, const ReductionNest& nest, const IterationDomain& domain, const RowAccesses& accesses,
                   const RowWish& wish, const ir::Target& target) {
  draft.lanes = chooseLanes(domain, accesses, target);
  if (wish.lanes) draft.lanes = std::min(draft.lanes, *wish.lanes);
  draft.runVectors = domain.inner().extent / draft.lanes;
  if (accesses.contiguous.empty() || !wish.hasCover.value_or(!isNarrow(draft, accesses))) return;
  const int widest = widestLanes(accesses, target);
  if (draft.lanes >= limits::cover::narrow.of(widest)) return;
  if (domain.inner().extent < limits::cover::leastVectors * widest) return;
  if (const std::optional<int64_t> shift = largestShift(nest, domain, widest)) {
    draft.hasCover = true;
    draft.lanes = widest;
    draft.runVectors = ceilDiv(domain.inner().extent + *shift, widest);
  }
}

/// Steps of a long row: the most that a thread takes, but where others leave fewer threads idle. A warp alone needs no barrier.
int64_t fewestIdle(int64_t vectors, int64_t most, bool isPlainSum) {
  const auto slots = [&](int64_t steps) { return groupOf(ceilDiv(vectors, steps)) * steps; };
  if (const int64_t ofWarp = ceilDiv(vectors, warp); isPlainSum && ofWarp <= limits::rows::mostHeldVectors) return ofWarp;
  int64_t best = most;
  for (int64_t steps = most - 1; 2 * steps > most; --steps)
    if (slots(steps) < slots(best)) best = steps;
  return slots(best) * 5 < slots(most) * 4 ? best : most;
}

/// Vectors a thread should take of a plain row, of each of so many tensors at once: one while that does not fill the device, then
/// few, with hardly any idle thread.
int64_t chooseSteps(const RowDraft& draft, bool isOneTraversal, int64_t tensors, const ir::Target& target) {
  const int64_t vectors = ceilDiv(draft.runVectors * draft.runs, draft.splits());
  const bool isSmall = draft.rows * draft.splits() * vectors <= residentThreads(target);
  const auto ofEach = [&](int64_t steps) { return std::max<int64_t>(1, steps / tensors); };
  if (draft.hasRuns())
    return ofEach(isSmall ? ceilDiv(vectors, limits::segments::underfilledBlock) : limits::rows::registerVectors);
  if (isSmall) return ofEach(ceilDiv(vectors, limits::rows::underfilledBlock));
  const int64_t most = ofEach(limits::rows::registerVectors);
  if (vectors > limits::rows::longRow) return fewestIdle(vectors, most, isOneTraversal && tensors == 1);
  // As many steps as leave the fewest threads idle, near what is best where none is; a sum alone and aligned covers, of which
  // every warp then has ends, are best left to one warp.
  const bool isOfOneWarp = vectors <= warp || isOneTraversal || draft.hasCover;
  const int64_t usual = isOfOneWarp ? std::min(ceilDiv(vectors, warp), most) : ofEach(limits::rows::usualVectors);
  int64_t best = usual;
  double least = std::numeric_limits<double>::infinity();
  for (int64_t steps = 1; steps <= most; ++steps) {
    const int64_t group = groupOf(ceilDiv(vectors, steps));
    if ((isOneTraversal && group > warp) || group < std::min<int64_t>(limits::rows::fewestThreads, groupOf(vectors))) continue;
    const double slots = static_cast<double>(group * steps) * (steps == usual ? 1 : 1.05);
    if (slots >= least) continue;
    least = slots;
    best = steps;
  }
  return best;
}

/// Narrow vectors: of the fewest threads, 8 at least.
int64_t chooseNarrowSteps(const RowDraft& draft) {
  int64_t threads = limits::rows::fewestThreads;
  while (threads < warp && ceilDiv(draft.runVectors, threads) > limits::rows::narrowVectors) threads *= 2;
  return ceilDiv(draft.runVectors, threads);
}

/// The same by what is read of rows. Aligned covers in a part of a warp are best left to half of it, each of whose threads finds
/// out once where its row begins; weights that all rows share, to threads that take two vectors of them.
int64_t chooseSteps(const RowDraft& draft, const RowAccesses& accesses, int64_t vectorsAtOnce, const ir::Target& target) {
  if (isNarrow(draft, accesses)) return chooseNarrowSteps(draft);
  const bool isOneTraversal = accesses.heldBytes == 0;
  const int64_t vectors = draft.runVectors * draft.runs;
  const bool isSmall = draft.rows * vectors <= residentThreads(target);
  if (draft.hasCover && !isSmall && vectors > warp / 2 && vectors <= warp) return 2;
  const bool sharesWeights = accesses.commonBytes > 0 && !draft.hasRuns() && !isSmall && vectors <= limits::rows::longRow;
  return chooseSteps(draft, isOneTraversal, sharesWeights ? 1 : vectorsAtOnce, target);
}

/// Fills a CTA with rows, but not so many that multiprocessors stay without one.
void fillBlock(RowDraft& draft, const ir::Target& target) {
  int rows = std::max(1, limits::gpu::usualBlock / draft.group);
  const int64_t fewest = int64_t{limits::gpu::leastGrid} * target.processors;
  while (rows * draft.group > warp && rows > 1 && ceilDiv(draft.rows, rows) < fewest) rows /= 2;
  // Warps of different rows should not wait for each other.
  const int64_t widest = draft.group <= warp ? limits::rows::widestBlock : limits::gpu::usualBlock;
  while (ceilDiv(draft.rows, rows) > limits::gpu::largestGrid && rows * draft.group * 2 <= widest) rows *= 2;
  draft.block = draft.group * rows;
}

/// Whether a nest computes sines or cosines, which take registers of their own to reduce their arguments.
bool computesSines(const ReductionNest& nest) {
  std::vector<const ir::Expr*> values;
  for (const Reduction& reduction : nest.reductions) values.push_back(reduction.body);
  for (const ir::StoreTo& store : nest.elementStores) values.push_back(store.value);
  return std::ranges::any_of(ir::postorder(values),
                             [](const ir::Expr* node) { return node->op == ir::Op::Sin || node->op == ir::Op::Cos; });
}

/// CTAs of threads that each hold so much of a plain row, and some of the weights that they read ahead.
int64_t mostOfRows(const RowDraft& draft, const ReductionNest& nest, int64_t heldWords, int64_t commonWords,
                   const ir::Target& target) {
  const int64_t weights = std::min(limits::rows::weightRegisters, commonWords * 3 / 4);
  const int64_t sines = computesSines(nest) ? limits::rows::sineRegisters : 0;
  const int64_t registers = limits::gpu::ownRegisters + heldWords * 5 / 4 + weights + sines;
  return target.processorRegisters / (registers * draft.block);
}

/// The bytes of an element that is read across memory while its neighbour in memory is in the next row; 0 where there is none.
int64_t elementAcrossRows(const IterationDomain& domain) {
  if (domain.elementDims() == 0) return 0;
  const std::size_t next = domain.elementDims() - 1;
  for (const Access& access : domain.loads())
    if (access.form && !domain.isInnerContiguous(access) && !domain.isInnerUniform(access) && domain.stride(access, next) == 1)
      return access.elementBytes;
  return 0;
}

/// Fills a CTA with rows whose elements lie side by side in memory, until they fill a sector.
void joinNeighbours(RowDraft& draft, int64_t elementBytes, const ir::Target& target) {
  const int64_t fewest = int64_t{limits::gpu::leastGrid} * target.processors;
  while (draft.rowsPerCta() * elementBytes < ir::Target::sectorBytes && draft.block * 2 <= ir::Target::ctaThreads &&
         ceilDiv(draft.rows, 2 * draft.rowsPerCta()) >= fewest)
    draft.block *= 2;
}

bool isHeld(const RowDraft& draft) { return draft.hold == Hold::Registers; }

enum Dims : std::size_t { row, run, vector };

Layout layoutOf(const RowDraft& draft, const IterationDomain& domain) {
  Layout layout;
  layout.dims = {{0, domain.elementDims(), draft.rows},
                 {domain.elementDims(), domain.innermost(), draft.runs},
                 {domain.innermost(), domain.dims().size(), draft.runVectors, draft.lanes}};
  layout.laneDim = vector;
  // All of a row unrolled where it stays in registers, else as many vectors as are read at once.
  const auto unrolled = [&](int64_t steps, int64_t inside) {
    if (draft.hold == Hold::Registers) return steps;
    return std::min(steps, std::max<int64_t>(1, limits::rows::vectorsInFlight / inside));
  };
  const int64_t runs = unrolled(draft.runSteps, draft.vectorSteps), vectors = unrolled(draft.vectorSteps, 1);
  const Bind splits = draft.gridSplits > 1 ? Bind::Grid : Bind::Cluster;
  const int64_t runsOfSplit = ceilDiv(draft.runs, draft.runSplits());
  if (splits == Bind::Cluster) layout.parts.push_back({row, Bind::Grid, ceilDiv(draft.rows, draft.rowsPerCta())});
  if (draft.hasRuns()) layout.parts.push_back({run, splits, draft.runSplits(), runsOfSplit});
  layout.parts.insert(layout.parts.end(), {{row, Bind::Thread, draft.rowsPerCta(), 0, draft.group},
                                           {run, Bind::Serial, ceilDiv(draft.runSteps, runs)},
                                           {vector, Bind::Serial, ceilDiv(draft.vectorSteps, vectors)},
                                           {run, Bind::Unrolled, runs},
                                           {vector, Bind::Unrolled, vectors},
                                           {vector, splits, draft.alongRun},
                                           {run, Bind::Thread, draft.runsAtOnce},
                                           {vector, Bind::Thread, draft.columns}});
  return layout;
}

}  // namespace

RowDraft draftRows(const ReductionNest& nest, const IterationDomain& domain, const ir::Target& target, const RowWish& wish) {
  const RowAccesses accesses = accessesOf(nest, domain);
  RowDraft draft;
  draft.rows = domain.numel(0, domain.elementDims());
  draft.runs = domain.numel(domain.elementDims(), domain.innermost());
  chooseVectors(draft, nest, domain, accesses, wish, target);
  const int64_t rowVectors = draft.runs * draft.runVectors;
  const int64_t rowBytes = rowVectors * draft.lanes * accesses.heldBytes;
  const int64_t vectorsAtOnce = std::max<int64_t>(1, ceilDiv(accesses.heldBytes * draft.lanes, target.vectorBytes));
  const int64_t registerBytes = draft.hasRuns() ? limits::segments::registerRowBytes : limits::rows::registerBytes;
  const int64_t sharedBytes = sharedBytesOfTwo(target);
  const bool isOneTraversal = accesses.heldBytes == 0;

  // The fewest CTAs a row whose share of it stays on chip; more while the device is not filled and each has enough to do.
  const auto share = [&] { return ceilDiv(rowBytes, draft.ctas); };
  const int64_t most = draft.hasRuns() ? std::min<int64_t>(target.clusterCtas, draft.runs) : target.clusterCtas;
  const int64_t leastPart =
      nest.elementStores.empty() && draft.lanes > 1 ? limits::rows::clusterVectors : limits::gpu::leastClusterVectors;
  const auto isEnough = [&] {
    const bool fits = isOneTraversal || share() <= (draft.hasRuns() ? registerBytes : sharedBytes);
    const bool fills = draft.rows * draft.ctas > limits::gpu::filledDevice.of(target.processors);
    return fits && (fills || rowVectors / draft.ctas < leastPart);
  };
  while (draft.ctas * 2 <= most && !isEnough()) draft.ctas *= 2;
  if (draft.rows == 1 && isOneTraversal && nest.elementStores.empty() && !isEnough()) {
    draft.ctas = 1;
    draft.alongRun = draft.gridSplits = static_cast<int>(
        std::min<int64_t>(limits::rows::splitCtas * target.processors, ceilDiv(rowVectors, limits::rows::splitVectors)));
  }
  if (wish.splits && draft.gridSplits > 1)
    draft.alongRun = draft.gridSplits = std::max(1, *wish.splits);
  else if (draft.gridSplits == 1)
    divide(draft, wish.splits ? std::clamp<int64_t>(*wish.splits, 1, most) : draft.ctas);

  const bool isSmall = draft.rows * rowVectors <= residentThreads(target);
  const bool isStored = !nest.elementStores.empty();
  const RunRows runs{draft, accesses.readBytes, accesses.heldBytes, accesses.narrowest, isSmall, isStored};
  const bool hasStoredRuns = draft.hasRuns() && (isStored || !isOneTraversal);
  if (hasStoredRuns)
    if (const std::optional<RowDraft> wished = wishedRuns(runs, wish, target)) return *wished;
  const int64_t steps = wish.steps.value_or(chooseSteps(draft, accesses, vectorsAtOnce, target));
  layOut(draft, steps, draft.gridSplits > 1 ? limits::rows::splitBlock : ir::Target::ctaThreads);
  const int64_t held = draft.vectorSteps * draft.runSteps * vectorsAtOnce;
  const bool fitsShared = !isOneTraversal && share() <= 2 * sharedBytes;
  if ((held <= limits::rows::mostHeldVectors || isNarrow(draft, accesses)) && share() <= registerBytes * vectorsAtOnce)
    draft.hold = Hold::Registers;
  else if (fitsShared)
    draft.hold = Hold::Shared;
  if (wish.hold == Hold::Nowhere ||
      (wish.hold == Hold::Shared && fitsShared && rowVectors / draft.ctas >= limits::rows::longRow) ||
      (wish.hold == Hold::Registers && held <= 2 * limits::rows::registerVectors))
    draft.hold = *wish.hold;
  if (draft.hold == Hold::Shared && !wish.steps) {
    // Of one CTA or two on a multiprocessor.
    const int64_t threads = share() > sharedBytes ? ir::Target::ctaThreads : limits::rows::widestBlock;
    layOut(draft, std::max<int64_t>(1, ceilDiv(rowVectors, draft.ctas * threads)));
  }
  const bool areFew = draft.vectorSteps * draft.runSteps * draft.lanes <= limits::rows::mostHeldResults;
  const auto functions = std::ssize(repeatedFunctions(nest, accesses.values));
  draft.keepsFunctions = isHeld(draft) && wish.keepsFunctions.value_or(areFew) && functions > 0;
  if (draft.splits() > 1 || draft.hold == Hold::Shared)
    draft.block = draft.group;
  else if (wish.rowsPerCta)
    draft.block = draft.group * std::clamp(*wish.rowsPerCta, 1, ir::Target::ctaThreads / draft.group);
  else
    fillBlock(draft, target);
  if (const int64_t bytes = elementAcrossRows(domain);
      bytes > 0 && draft.splits() == 1 && !wish.rowsPerCta && draft.hold != Hold::Shared)
    joinNeighbours(draft, bytes, target);
  if (isHeld(draft) && wish.isResident) {
    const int64_t commonBytes = draft.vectorSteps * draft.lanes * accesses.commonBytes;
    const int64_t keptWords = draft.keepsFunctions ? functions * draft.vectorSteps * draft.runSteps * draft.lanes : 0;
    chooseResident(draft, mostOfRows(draft, nest, held * 4 + keptWords, commonBytes / 4, target), target);
  }
  const bool isWished = wish.splits || wish.steps || wish.hold;
  if (!hasStoredRuns || isWished) return draft;
  return draftSegments(runs, draft, target).value_or(draft);
}

LayoutSchedule scheduleOf(const RowDraft& draft, const IterationDomain& domain) {
  LayoutSchedule schedule;
  // A persistent cluster's addresses that depend on the thread by way of its row's number (which is always 0) are worth 7 to 29
  // %: batch norms and their gradients of [32, 64, 128, 128] to [128, 64, 112, 112] halves. Others lose up to 14 % by them.
  schedule.layout = simplified(layoutOf(draft, domain), draft.isPersistent);
  schedule.hold = draft.hold;
  schedule.readsAhead =
      draft.hold == Hold::Registers && schedule.layout.extent(Bind::Unrolled) <= limits::rows::prefetchedVectors;
  schedule.keepsFunctions = draft.keepsFunctions;
  schedule.hasCover = draft.hasCover;
  schedule.isPersistent = draft.isPersistent;
  schedule.resident = draft.resident;
  return schedule;
}

namespace {

bool hasRows(const LoopNest& nest) { return nest.hasReductions() && nest.domain.runsAlongElements(); }

/// Narrower vectors, other threads and CTAs a row, rows a CTA, places where rows are held, functions held beside them, aligned
/// covers, and slices.
std::vector<RowWish> wishes(const RowDraft& rules, const ir::Target& target) {
  const int64_t steps = rules.runSteps * rules.vectorSteps;
  std::vector<RowWish> all;
  if (rules.lanes > 1 && !rules.hasCover) all.push_back({.lanes = rules.lanes / 2});
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

std::vector<Schedule> otherRows(const LoopNest& nest, const ir::Target& target, const TuningStart& start) {
  if (!hasRows(nest)) return {};
  const RowDraft rules = draftRows(*nest.reduction, nest.domain, target);
  if (!start.isChosen) return {scheduleOf(rules, nest.domain)};
  std::vector<Schedule> schedules;
  for (const RowWish& wish : wishes(rules, target))
    schedules.emplace_back(scheduleOf(draftRows(*nest.reduction, nest.domain, target, wish), nest.domain));
  return schedules;
}

std::optional<Schedule> chooseRows(const LoopNest& nest, const ir::Target& target) {
  if (!hasRows(nest)) return std::nullopt;
  RowWish wish;
  if (const int lanes = mostLanes(nest, target); lanes < target.vectorBytes)
    wish = {.lanes = lanes, .steps = 1, .hasCover = false};
  return scheduleOf(draftRows(*nest.reduction, nest.domain, target, wish), nest.domain);
}

const ScheduleRule rows{{.order = 50, .choose = chooseRows, .others = otherRows}};

}  // namespace

}  // namespace lowering
