#include "lowering/heuristics/rows.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

#include "ir/index/ceil_div.h"
#include "lowering/analysis/reuse.h"
#include "lowering/analysis/row_accesses.h"
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
};

RowAccesses accessesOf(const ReductionNest& nest, const IterationDomain& domain) {
  const std::set<const ir::Expr*> repeated = repeatedLoads(nest);
  RowAccesses found;
  const auto add = [&](const Access& access) {
    if (!isRowAccess(domain, access)) {
      if (access.node != nullptr && domain.isInnerContiguous(access)) found.commonBytes += access.elementBytes;
      return;
    }
    found.contiguous.push_back(&access);
    found.widest = std::max(found.widest, access.elementBytes);
    found.narrowest = std::min(found.narrowest, access.elementBytes);
    if (access.node == nullptr) return;
    found.readBytes += access.elementBytes;
    if (!repeated.contains(access.node)) return;
    ++found.held;
    found.heldBytes += access.elementBytes;
  };
  for (const Access& access : domain.loads()) add(access);
  for (std::size_t i = nest.rowStores.size(); i < domain.stores().size(); ++i) add(domain.stores()[i]);
  return found;
}

int widestLanes(const RowAccesses& accesses, const ir::Target& target) {
  return static_cast<int>(std::min(target.vectorBytes / accesses.narrowest, 2 * target.vectorBytes / accesses.widest));
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
bool isNarrow(const RowMapping& mapping, const RowAccesses& accesses) {
  return !mapping.hasRuns() && accesses.held == 1 && mapping.lanes * accesses.widest <= limits::rows::narrowVectorBytes &&
         mapping.runVectors <= warp * limits::rows::mostNarrowVectors;
}

/// The widest vectors that the runs consist of, or an aligned cover where these are narrow.
void chooseVectors(RowMapping& mapping, const ReductionNest& nest, const IterationDomain& domain, const RowAccesses& accesses,
                   std::optional<bool> hasCover, const ir::Target& target) {
  mapping.lanes = chooseLanes(domain, accesses, target);
  mapping.runVectors = domain.inner().extent / mapping.lanes;
  if (accesses.contiguous.empty() || !hasCover.value_or(!isNarrow(mapping, accesses))) return;
  const int widest = widestLanes(accesses, target);
  if (mapping.lanes >= limits::cover::narrow.of(widest)) return;
  if (domain.inner().extent < limits::cover::leastVectors * widest) return;
  if (const std::optional<int64_t> shift = largestShift(nest, domain, widest)) {
    mapping.hasCover = true;
    mapping.lanes = widest;
    mapping.runVectors = ceilDiv(domain.inner().extent + *shift, widest);
  }
}

/// Vectors a thread should take of a plain row, of each of so many tensors at once: one while that does not fill the device, then
/// few, with hardly any idle thread.
int64_t chooseSteps(const RowMapping& mapping, bool isOneTraversal, int64_t tensors, const ir::Target& target) {
  const int64_t vectors = ceilDiv(mapping.runVectors * mapping.runs, mapping.splits());
  const bool isSmall = mapping.rows * mapping.splits() * vectors <= residentThreads(target);
  const auto ofEach = [&](int64_t steps) { return std::max<int64_t>(1, steps / tensors); };
  if (mapping.hasRuns())
    return ofEach(isSmall ? ceilDiv(vectors, limits::segments::underfilledBlock) : limits::rows::registerVectors);
  if (isSmall) return ofEach(ceilDiv(vectors, limits::rows::underfilledBlock));
  const int64_t most = ofEach(limits::rows::registerVectors);
  if (vectors > limits::rows::longRow) return most;
  // As many steps as leave the fewest threads idle, near what is best where none is; a sum alone and aligned covers, of which
  // every warp then has ends, are best left to one warp.
  const bool isOfOneWarp = vectors <= warp || isOneTraversal || mapping.hasCover;
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
int64_t chooseNarrowSteps(const RowMapping& mapping) {
  int64_t threads = limits::rows::fewestThreads;
  while (threads < warp && ceilDiv(mapping.runVectors, threads) > limits::rows::narrowVectors) threads *= 2;
  return ceilDiv(mapping.runVectors, threads);
}

/// The same by what is read of rows. Aligned covers in a part of a warp are best left to half of it, each of whose threads finds
/// out once where its row begins; weights that all rows share, to threads that take two vectors of them.
int64_t chooseSteps(const RowMapping& mapping, const RowAccesses& accesses, int64_t vectorsAtOnce, const ir::Target& target) {
  if (isNarrow(mapping, accesses)) return chooseNarrowSteps(mapping);
  const bool isOneTraversal = accesses.heldBytes == 0;
  const int64_t vectors = mapping.runVectors * mapping.runs;
  const bool isSmall = mapping.rows * vectors <= residentThreads(target);
  if (mapping.hasCover && !isSmall && vectors > warp / 2 && vectors <= warp) return 2;
  const bool sharesWeights = accesses.commonBytes > 0 && !mapping.hasRuns() && !isSmall && vectors <= limits::rows::longRow;
  return chooseSteps(mapping, isOneTraversal, sharesWeights ? 1 : vectorsAtOnce, target);
}

/// Fills a CTA with rows, but not so many that multiprocessors stay without one.
void fillBlock(RowMapping& mapping, const ir::Target& target) {
  int rows = std::max(1, limits::gpu::usualBlock / mapping.group);
  const int64_t fewest = int64_t{limits::gpu::leastGrid} * target.processors;
  while (rows * mapping.group > warp && rows > 1 && ceilDiv(mapping.rows, rows) < fewest) rows /= 2;
  // Warps of different rows should not wait for each other.
  const int64_t widest = mapping.group <= warp ? limits::rows::widestBlock : limits::gpu::usualBlock;
  while (ceilDiv(mapping.rows, rows) > limits::gpu::largestGrid && rows * mapping.group * 2 <= widest) rows *= 2;
  mapping.block = mapping.group * rows;
}

/// CTAs of threads that each hold so much of a plain row, and some of the weights that they read ahead.
int64_t mostOfRows(const RowMapping& mapping, int64_t heldWords, int64_t commonWords, const ir::Target& target) {
  const int64_t weights = std::min(limits::rows::weightRegisters, commonWords * 3 / 4);
  const int64_t registers = limits::gpu::ownRegisters + heldWords * 5 / 4 + weights;
  return target.processorRegisters / (registers * mapping.block);
}

bool isHeld(const RowMapping& mapping) { return mapping.hold == Hold::Registers; }

enum Dims : std::size_t { row, run, vector };

Layout layoutOf(const RowMapping& mapping, const IterationDomain& domain) {
  Layout layout;
  layout.dims = {{0, domain.elementDims(), mapping.rows},
                 {domain.elementDims(), domain.innermost(), mapping.runs},
                 {domain.innermost(), domain.dims().size(), mapping.runVectors, mapping.lanes}};
  layout.laneDim = vector;
  // All of a row unrolled where it stays in registers, else as many vectors as are read at once.
  const auto unrolled = [&](int64_t steps, int64_t inside) {
    if (mapping.hold == Hold::Registers) return steps;
    return std::min(steps, std::max<int64_t>(1, limits::rows::vectorsInFlight / inside));
  };
  const int64_t runs = unrolled(mapping.runSteps, mapping.vectorSteps), vectors = unrolled(mapping.vectorSteps, 1);
  const Bind splits = mapping.gridSplits > 1 ? Bind::Grid : Bind::Cluster;
  const int64_t runsOfSplit = ceilDiv(mapping.runs, mapping.runSplits());
  if (splits == Bind::Cluster) layout.parts.push_back({row, Bind::Grid, ceilDiv(mapping.rows, mapping.rowsPerCta())});
  if (mapping.hasRuns()) layout.parts.push_back({run, splits, mapping.runSplits(), runsOfSplit});
  layout.parts.insert(layout.parts.end(), {{row, Bind::Thread, mapping.rowsPerCta(), 0, mapping.group},
                                           {run, Bind::Serial, ceilDiv(mapping.runSteps, runs)},
                                           {vector, Bind::Serial, ceilDiv(mapping.vectorSteps, vectors)},
                                           {run, Bind::Unrolled, runs},
                                           {vector, Bind::Unrolled, vectors},
                                           {vector, splits, mapping.alongRun},
                                           {run, Bind::Thread, mapping.runsAtOnce},
                                           {vector, Bind::Thread, mapping.columns}});
  return layout;
}

}  // namespace

RowMapping chooseRowMapping(const ReductionNest& nest, const IterationDomain& domain, const ir::Target& target,
                            const RowWish& wish) {
  const RowAccesses accesses = accessesOf(nest, domain);
  RowMapping mapping;
  mapping.rows = domain.numel(0, domain.elementDims());
  mapping.runs = domain.numel(domain.elementDims(), domain.innermost());
  chooseVectors(mapping, nest, domain, accesses, wish.hasCover, target);
  const int64_t rowVectors = mapping.runs * mapping.runVectors;
  const int64_t rowBytes = rowVectors * mapping.lanes * accesses.heldBytes;
  const int64_t vectorsAtOnce = std::max<int64_t>(1, ceilDiv(accesses.heldBytes * mapping.lanes, target.vectorBytes));
  const int64_t registerBytes = mapping.hasRuns() ? limits::segments::registerRowBytes : limits::rows::registerBytes;
  const int64_t sharedBytes = sharedBytesOfTwo(target);
  const bool isOneTraversal = accesses.heldBytes == 0;

  // The fewest CTAs a row whose share of it stays on chip; more while the device is not filled and each has enough to do.
  const auto share = [&] { return ceilDiv(rowBytes, mapping.ctas); };
  const int64_t most = mapping.hasRuns() ? std::min<int64_t>(target.clusterCtas, mapping.runs) : target.clusterCtas;
  const auto isEnough = [&] {
    const bool fits = isOneTraversal || share() <= (mapping.hasRuns() ? registerBytes : sharedBytes);
    const bool fills = mapping.rows * mapping.ctas > limits::gpu::filledDevice.of(target.processors);
    return fits && (fills || rowVectors / mapping.ctas < limits::gpu::leastClusterVectors);
  };
  while (mapping.ctas * 2 <= most && !isEnough()) mapping.ctas *= 2;
  if (mapping.rows == 1 && isOneTraversal && nest.elementStores.empty() && !isEnough()) {
    mapping.ctas = 1;
    mapping.alongRun = mapping.gridSplits = static_cast<int>(
        std::min<int64_t>(limits::rows::splitCtas * target.processors, ceilDiv(rowVectors, limits::rows::splitVectors)));
  }
  if (wish.splits && mapping.gridSplits > 1)
    mapping.alongRun = mapping.gridSplits = std::max(1, *wish.splits);
  else if (mapping.gridSplits == 1)
    divide(mapping, wish.splits ? std::clamp<int64_t>(*wish.splits, 1, most) : mapping.ctas);

  const bool isSmall = mapping.rows * rowVectors <= residentThreads(target);
  const bool isStored = !nest.elementStores.empty();
  const RunRows runs{mapping, accesses.readBytes, accesses.heldBytes, accesses.narrowest, isSmall, isStored};
  const bool hasStoredRuns = mapping.hasRuns() && (isStored || !isOneTraversal);
  if (hasStoredRuns)
    if (const std::optional<RowMapping> wished = wishedRunMapping(runs, wish, target)) return *wished;
  const int64_t steps = wish.steps.value_or(chooseSteps(mapping, accesses, vectorsAtOnce, target));
  layOut(mapping, steps, mapping.gridSplits > 1 ? limits::rows::splitBlock : ir::Target::ctaThreads);
  const int64_t held = mapping.vectorSteps * mapping.runSteps * vectorsAtOnce;
  const bool fitsShared = !isOneTraversal && share() <= 2 * sharedBytes;
  if ((held <= limits::rows::mostHeldVectors || isNarrow(mapping, accesses)) && share() <= registerBytes * vectorsAtOnce)
    mapping.hold = Hold::Registers;
  else if (fitsShared)
    mapping.hold = Hold::Shared;
  if (wish.hold == Hold::Nowhere ||
      (wish.hold == Hold::Shared && fitsShared && rowVectors / mapping.ctas >= limits::rows::longRow) ||
      (wish.hold == Hold::Registers && held <= 2 * limits::rows::registerVectors))
    mapping.hold = *wish.hold;
  if (mapping.hold == Hold::Shared && !wish.steps) {
    // Of one CTA or two on a multiprocessor.
    const int64_t threads = share() > sharedBytes ? ir::Target::ctaThreads : limits::rows::widestBlock;
    layOut(mapping, std::max<int64_t>(1, ceilDiv(rowVectors, mapping.ctas * threads)));
  }
  const bool areFew = mapping.vectorSteps * mapping.runSteps * mapping.lanes <= limits::rows::mostHeldResults;
  mapping.keepsFunctions = isHeld(mapping) && wish.keepsFunctions.value_or(areFew) && !repeatedFunctions(nest).empty();
  if (mapping.splits() > 1 || mapping.hold == Hold::Shared)
    mapping.block = mapping.group;
  else if (wish.rowsPerCta)
    mapping.block = mapping.group * std::clamp(*wish.rowsPerCta, 1, ir::Target::ctaThreads / mapping.group);
  else
    fillBlock(mapping, target);
  if (isHeld(mapping) && wish.isResident) {
    const int64_t commonBytes = mapping.vectorSteps * mapping.lanes * accesses.commonBytes;
    chooseResident(mapping, mostOfRows(mapping, held * 4, commonBytes / 4, target), target);
  }
  const bool isWished = wish.splits || wish.steps || wish.hold;
  if (!hasStoredRuns || isWished) return mapping;
  return chooseSegmentMapping(runs, mapping, target).value_or(mapping);
}

LayoutSchedule scheduleOf(const RowMapping& mapping, const IterationDomain& domain) {
  LayoutSchedule schedule;
  // A persistent cluster's addresses that depend on the thread by way of its row's number (which is always 0) are worth 7 to 29
  // %: batch norms and their gradients of [32, 64, 128, 128] to [128, 64, 112, 112] halves. Others lose up to 14 % by them.
  schedule.layout = simplified(layoutOf(mapping, domain), mapping.isPersistent);
  schedule.hold = mapping.hold;
  schedule.readsAhead =
      mapping.hold == Hold::Registers && schedule.layout.extent(Bind::Unrolled) <= limits::rows::prefetchedVectors;
  schedule.keepsFunctions = mapping.keepsFunctions;
  schedule.hasCover = mapping.hasCover;
  schedule.isPersistent = mapping.isPersistent;
  schedule.resident = mapping.resident;
  return schedule;
}

namespace {

bool hasRows(const LoopNest& nest) { return nest.hasReductions() && nest.domain.runsAlongElements(); }

/// Other threads and CTAs a row, rows a CTA, places where rows are held, functions held beside them, aligned covers, and slices.
std::vector<RowWish> wishes(const RowMapping& rules, const ir::Target& target) {
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

std::vector<Schedule> otherRows(const LoopNest& nest, const ir::Target& target, const TuningStart& start) {
  if (!hasRows(nest)) return {};
  const RowMapping rules = chooseRowMapping(*nest.reduction, nest.domain, target);
  if (!start.isChosen) return {scheduleOf(rules, nest.domain)};
  std::vector<Schedule> schedules;
  for (const RowWish& wish : wishes(rules, target))
    schedules.emplace_back(scheduleOf(chooseRowMapping(*nest.reduction, nest.domain, target, wish), nest.domain));
  return schedules;
}

std::optional<Schedule> chooseRows(const LoopNest& nest, const ir::Target& target) {
  if (!hasRows(nest)) return std::nullopt;
  return scheduleOf(chooseRowMapping(*nest.reduction, nest.domain, target), nest.domain);
}

const ScheduleRule rows{{.order = 50, .choose = chooseRows, .others = otherRows}};

}  // namespace

}  // namespace lowering
