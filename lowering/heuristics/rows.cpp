#include "lowering/heuristics/rows.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

#include "ir/index/ceil_div.h"
#include "lowering/analysis/reuse.h"
#include "lowering/heuristics/limits.h"
#include "lowering/heuristics/row_layout.h"
#include "lowering/heuristics/segments.h"

namespace lowering {
namespace {

constexpr int64_t warp = ir::Target::warp;

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

/// Elements that runs may start after a multiple of `lanes`, the same for all accesses, or nothing where they differ: then no
/// aligned vectors cover the runs of all.
std::optional<int64_t> largestShift(const IterationDomain& domain, const RowAccesses& accesses, int lanes) {
  const Access& first = *accesses.contiguous.front();
  int64_t step = std::gcd(first.form->constant, int64_t{lanes});
  for (const Access* access : accesses.contiguous) {
    if (access->elementBytes != first.elementBytes || (access->form->constant - first.form->constant) % lanes != 0) return {};
    for (std::size_t d = 0; d < domain.innermost(); ++d) {
      if ((domain.stride(*access, d) - domain.stride(first, d)) % lanes != 0) return {};
      step = std::gcd(step, domain.stride(*access, d));
    }
  }
  return lanes - step;
}

/// Whether a plain row of one tensor that is traversed again has vectors of 4 bytes at most, as many as a part of a warp holds.
/// An aligned cover would take fewer accesses, and more instructions for its masks.
bool isNarrow(const RowSchedule& schedule, const RowAccesses& accesses) {
  return !schedule.hasRuns() && accesses.held == 1 && schedule.lanes * accesses.widest <= limits::rows::narrowVectorBytes &&
         schedule.runVectors <= warp * limits::rows::mostNarrowVectors;
}

/// The widest vectors that the runs consist of, or an aligned cover where these are narrow.
void chooseVectors(RowSchedule& schedule, const IterationDomain& domain, const RowAccesses& accesses,
                   std::optional<bool> hasCover, const ir::Target& target) {
  schedule.lanes = chooseLanes(domain, accesses, target);
  schedule.runVectors = domain.inner().extent / schedule.lanes;
  if (accesses.contiguous.empty() || !hasCover.value_or(!isNarrow(schedule, accesses))) return;
  const int widest = widestLanes(accesses, target);
  if (schedule.lanes >= limits::cover::narrow.of(widest)) return;
  if (domain.inner().extent < limits::cover::leastVectors * widest) return;
  if (const std::optional<int64_t> shift = largestShift(domain, accesses, widest)) {
    schedule.hasCover = true;
    schedule.lanes = widest;
    schedule.runVectors = ceilDiv(domain.inner().extent + *shift, widest);
  }
}

/// Vectors a thread should take of a plain row, of each of so many tensors at once: one while that does not fill the device, then
/// few, with hardly any idle thread.
int64_t chooseSteps(const RowSchedule& schedule, bool isOneTraversal, int64_t tensors, const ir::Target& target) {
  const int64_t vectors = ceilDiv(schedule.runVectors * schedule.runs, schedule.splits());
  const bool isSmall = schedule.rows * schedule.splits() * vectors <= residentThreads(target);
  const auto ofEach = [&](int64_t steps) { return std::max<int64_t>(1, steps / tensors); };
  if (schedule.hasRuns())
    return ofEach(isSmall ? ceilDiv(vectors, limits::segments::underfilledBlock) : limits::rows::registerVectors);
  if (isSmall) return ofEach(ceilDiv(vectors, limits::rows::underfilledBlock));
  const int64_t most = ofEach(limits::rows::registerVectors);
  if (vectors > limits::rows::longRow) return most;
  // As many steps as leave the fewest threads idle, near what is best where none is; a sum alone and aligned covers, of which
  // every warp then has ends, are best left to one warp.
  const bool isOfOneWarp = vectors <= warp || isOneTraversal || schedule.hasCover;
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
int64_t chooseNarrowSteps(const RowSchedule& schedule) {
  int64_t threads = limits::rows::fewestThreads;
  while (threads < warp && ceilDiv(schedule.runVectors, threads) > limits::rows::narrowVectors) threads *= 2;
  return ceilDiv(schedule.runVectors, threads);
}

/// The same by what is read of rows. Aligned covers in a part of a warp are best left to half of it, each of whose threads finds
/// out once where its row begins; weights that all rows share, to threads that take two vectors of them.
int64_t chooseSteps(const RowSchedule& schedule, const RowAccesses& accesses, int64_t vectorsAtOnce, const ir::Target& target) {
  if (isNarrow(schedule, accesses)) return chooseNarrowSteps(schedule);
  const bool isOneTraversal = accesses.heldBytes == 0;
  const int64_t vectors = schedule.runVectors * schedule.runs;
  const bool isSmall = schedule.rows * vectors <= residentThreads(target);
  if (schedule.hasCover && !isSmall && vectors > warp / 2 && vectors <= warp) return 2;
  const bool sharesWeights = accesses.commonBytes > 0 && !schedule.hasRuns() && !isSmall && vectors <= limits::rows::longRow;
  return chooseSteps(schedule, isOneTraversal, sharesWeights ? 1 : vectorsAtOnce, target);
}

/// Fills a CTA with rows, but not so many that multiprocessors stay without one.
void fillBlock(RowSchedule& schedule, const ir::Target& target) {
  int rows = std::max(1, limits::gpu::usualBlock / schedule.group);
  const int64_t fewest = int64_t{limits::gpu::leastGrid} * target.processors;
  while (rows * schedule.group > warp && rows > 1 && ceilDiv(schedule.rows, rows) < fewest) rows /= 2;
  // Warps of different rows should not wait for each other.
  const int64_t widest = schedule.group <= warp ? limits::rows::widestBlock : limits::gpu::usualBlock;
  while (ceilDiv(schedule.rows, rows) > limits::gpu::largestGrid && rows * schedule.group * 2 <= widest) rows *= 2;
  schedule.block = schedule.group * rows;
}

/// CTAs of threads that each hold so much of a plain row, and some of the weights that they read ahead.
int64_t mostOfRows(const RowSchedule& schedule, int64_t heldWords, int64_t commonWords, const ir::Target& target) {
  const int64_t weights = std::min(limits::rows::weightRegisters, commonWords * 3 / 4);
  const int64_t registers = limits::gpu::ownRegisters + heldWords * 5 / 4 + weights;
  return target.processorRegisters / (registers * schedule.block);
}

bool isHeld(const RowSchedule& schedule) { return schedule.hold == Hold::Registers; }

}  // namespace

bool isRowAccess(const IterationDomain& domain, const Access& access) {
  const bool isRow = domain.moves(access, 0, domain.elementDims()) || domain.numel(0, domain.elementDims()) == 1;
  return isRow && domain.isInnerContiguous(access);
}

RowSchedule chooseRowSchedule(const ReductionNest& nest, const IterationDomain& domain, const ir::Target& target,
                              const RowWish& wish) {
  const RowAccesses accesses = accessesOf(nest, domain);
  RowSchedule schedule;
  schedule.rows = domain.numel(0, domain.elementDims());
  schedule.runs = domain.numel(domain.elementDims(), domain.innermost());
  chooseVectors(schedule, domain, accesses, wish.hasCover, target);
  const int64_t rowVectors = schedule.runs * schedule.runVectors;
  const int64_t rowBytes = rowVectors * schedule.lanes * accesses.heldBytes;
  const int64_t vectorsAtOnce = std::max<int64_t>(1, ceilDiv(accesses.heldBytes * schedule.lanes, target.vectorBytes));
  const int64_t registerBytes = schedule.hasRuns() ? limits::segments::registerRowBytes : limits::rows::registerBytes;
  const int64_t sharedBytes = sharedBytesOfTwo(target);
  const bool isOneTraversal = accesses.heldBytes == 0;

  // The fewest CTAs a row whose share of it stays on chip; more while the device is not filled and each has enough to do.
  const auto share = [&] { return ceilDiv(rowBytes, schedule.ctas); };
  const int64_t most = schedule.hasRuns() ? std::min<int64_t>(target.clusterCtas, schedule.runs) : target.clusterCtas;
  const auto isEnough = [&] {
    const bool fits = isOneTraversal || share() <= (schedule.hasRuns() ? registerBytes : sharedBytes);
    const bool fills = schedule.rows * schedule.ctas > limits::gpu::filledDevice.of(target.processors);
    return fits && (fills || rowVectors / schedule.ctas < limits::gpu::leastClusterVectors);
  };
  while (schedule.ctas * 2 <= most && !isEnough()) schedule.ctas *= 2;
  if (schedule.rows == 1 && isOneTraversal && nest.elementStores.empty() && !isEnough()) {
    schedule.ctas = 1;
    schedule.alongRun = schedule.gridSplits = static_cast<int>(
        std::min<int64_t>(limits::rows::splitCtas * target.processors, ceilDiv(rowVectors, limits::rows::splitVectors)));
  }
  if (wish.splits && schedule.gridSplits > 1)
    schedule.alongRun = schedule.gridSplits = std::max(1, *wish.splits);
  else if (schedule.gridSplits == 1)
    divide(schedule, wish.splits ? std::clamp<int64_t>(*wish.splits, 1, most) : schedule.ctas);

  const bool isSmall = schedule.rows * rowVectors <= residentThreads(target);
  const bool isStored = !nest.elementStores.empty();
  const RunRows runs{schedule, accesses.readBytes, accesses.heldBytes, accesses.narrowest, isSmall, isStored};
  const bool hasStoredRuns = schedule.hasRuns() && (isStored || !isOneTraversal);
  if (hasStoredRuns)
    if (const std::optional<RowSchedule> wished = wishedRunSchedule(runs, wish, target)) return *wished;
  const int64_t steps = wish.steps.value_or(chooseSteps(schedule, accesses, vectorsAtOnce, target));
  layOut(schedule, steps, schedule.gridSplits > 1 ? limits::rows::splitBlock : ir::Target::ctaThreads);
  const int64_t held = schedule.vectorSteps * schedule.runSteps * vectorsAtOnce;
  const bool fitsShared = !isOneTraversal && share() <= 2 * sharedBytes;
  if ((held <= limits::rows::mostHeldVectors || isNarrow(schedule, accesses)) && share() <= registerBytes * vectorsAtOnce)
    schedule.hold = Hold::Registers;
  else if (fitsShared)
    schedule.hold = Hold::Shared;
  if (wish.hold == Hold::Nowhere ||
      (wish.hold == Hold::Shared && fitsShared && rowVectors / schedule.ctas >= limits::rows::longRow) ||
      (wish.hold == Hold::Registers && held <= 2 * limits::rows::registerVectors))
    schedule.hold = *wish.hold;
  if (schedule.hold == Hold::Shared && !wish.steps) {
    // Of one CTA or two on a multiprocessor.
    const int64_t threads = share() > sharedBytes ? ir::Target::ctaThreads : limits::rows::widestBlock;
    layOut(schedule, std::max<int64_t>(1, ceilDiv(rowVectors, schedule.ctas * threads)));
  }
  const bool areFew = schedule.vectorSteps * schedule.runSteps * schedule.lanes <= limits::rows::mostHeldResults;
  schedule.keepsFunctions = isHeld(schedule) && wish.keepsFunctions.value_or(areFew) && !repeatedFunctions(nest).empty();
  if (schedule.splits() > 1 || schedule.hold == Hold::Shared)
    schedule.block = schedule.group;
  else if (wish.rowsPerCta)
    schedule.block = schedule.group * std::clamp(*wish.rowsPerCta, 1, ir::Target::ctaThreads / schedule.group);
  else
    fillBlock(schedule, target);
  if (isHeld(schedule) && wish.isResident) {
    const int64_t commonBytes = schedule.vectorSteps * schedule.lanes * accesses.commonBytes;
    chooseResident(schedule, mostOfRows(schedule, held * 4, commonBytes / 4, target), target);
  }
  const bool isWished = wish.splits || wish.steps || wish.hold;
  if (!hasStoredRuns || isWished) return schedule;
  return chooseSegmentSchedule(runs, schedule, target).value_or(schedule);
}

}  // namespace lowering
