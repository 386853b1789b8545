#include "lowering/heuristics/segments.h"

#include "ir/index/ceil_div.h"
#include "lowering/heuristics/row_layout.h"

namespace lowering {
namespace {

constexpr int widestBlock = 512;           // threads of a CTA that has a row in its registers
constexpr int fewestThreads = 64;          // of a CTA that has a single row
constexpr int64_t registerBytes = 40960;   // of a row that registers hold faster than shared memory does
constexpr int64_t sliceBytes = 51200;      // of a row, for a CTA of several: four fit on a multiprocessor
constexpr int64_t mostSliceBytes = 76800;  // three fit
constexpr int64_t leastSliceBytes = 8192;
constexpr int sliceThreads = 256;
constexpr int mostSharing = 8;                        // CTAs of a cluster; more are faster as a team
constexpr int64_t clusterRowBytes = 10 * sliceBytes;  // of a row that a cluster's registers hold faster than a team
constexpr int fewestPersistent = 4;                   // CTAs: rows of fewer slices are faster in clusters
constexpr int largestOfMany = 320;                    // threads of a CTA of which there are several on a multiprocessor
constexpr int64_t allSharedBytes = 230000;            // that several CTAs take of a multiprocessor
constexpr int64_t besideSlice = 2048;                 // that a CTA takes beside its slice
constexpr int64_t shortRowBytes = 16384;              // of a row that is read once

/// CTAs of threads that each hold so much of a row of many runs, some of whose lanes may be left out. Each of the four parts of a
/// multiprocessor has registers for whole warps.
int64_t mostOfRuns(const RowTiling& tiling, int64_t heldWords, const ir::Target& target) {
  const int64_t registers = 24 + heldWords + (tiling.hasCover ? 8 : 0);
  constexpr int64_t unit = ir::Target::registerUnit;
  const int64_t warps = ir::Target::schedulers * (registersOfWarp(target) / (ceilDiv(registers, unit) * unit));
  return warps / (tiling.block / ir::Target::warp);
}

/// A row of many runs in the registers of so many CTAs, of which as many as possible are on a multiprocessor at once: at most 8
/// vectors a thread. Nothing where they do not hold it.
std::optional<RowTiling> holdRuns(RowTiling tiling, int ctas, int64_t elementBytes, const ir::Target& target) {
  std::optional<RowTiling> best;
  divide(tiling, ctas);
  const int64_t vectorBytes = tiling.lanes * elementBytes;
  const int64_t most = registerVectors * target.vectorBytes / std::max<int64_t>(target.vectorBytes, vectorBytes);
  for (const int threads : ctas == 1 ? std::vector{widestBlock, widestBlock / 2} : std::vector{largestOfMany})
    for (int64_t steps = most; steps > 1; --steps) {
      layOut(tiling, steps, threads);
      const int64_t held = tiling.vectorSteps * tiling.runSteps;
      if (held > most || tiling.group < fewestThreads) continue;
      tiling.block = tiling.group;
      tiling.hold = Hold::Registers;
      chooseResident(tiling, mostOfRuns(tiling, held * vectorBytes / 4, target), target);
      if (!best || tiling.resident > best->resident || (tiling.resident == best->resident && tiling.block > best->block))
        best = tiling;
    }
  return best;
}

/// The smallest cluster that holds such a row and fills the device; one twice as large where a fifth more of all rows is then on
/// chip at once. One CTA is better than a cluster in any case.
std::optional<RowTiling> holdRuns(const RunRows& rows, const ir::Target& target) {
  const RowTiling& tiling = rows.tiling;
  std::optional<RowTiling> best;
  const auto isWorthMore = [&](const RowTiling& larger) {
    const bool holdsAll = best->rows * best->ctas <= int64_t{best->resident} * target.processors;
    return best->ctas > 1 && !holdsAll && larger.resident * best->ctas * 5 > best->resident * larger.ctas * 6;
  };
  for (int ctas = 1; ctas <= std::min<int64_t>(target.clusterCtas, tiling.runs); ctas *= 2) {
    if (tiling.rows * ctas * 4 <= int64_t{3} * target.processors) continue;
    const std::optional<RowTiling> held = holdRuns(tiling, ctas, rows.heldBytes, target);
    if (held && (!best || isWorthMore(*held))) best = held;
  }
  return best;
}

/// Cuts a row of many runs into slices of about `bytes`, each some of the runs or a part of one, for CTAs of so many threads. Of
/// these several are on a multiprocessor at once: while some load, others store.
RowTiling cutIntoSlices(RowTiling tiling, int64_t runBytes, int64_t bytes, int threads, const ir::Target& target) {
  const int64_t runs = std::max<int64_t>(1, bytes / runBytes);
  tiling.alongRun = static_cast<int>(runBytes * 4 > bytes * 5 ? ceilDiv(runBytes, bytes) : 1);
  tiling.ctas = static_cast<int>(ceilDiv(tiling.runs, runs)) * tiling.alongRun;
  const int64_t vectors = ceilDiv(tiling.runs, tiling.runSplits()) * ceilDiv(tiling.runVectors, tiling.alongRun);
  layOut(tiling, std::max<int64_t>(1, ceilDiv(vectors, threads)), threads);
  tiling.block = tiling.group;
  tiling.hold = Hold::Shared;
  tiling.isPersistent = tiling.ctas > 1;
  const int64_t most =
      std::max<int64_t>(1, ofShared(target, allSharedBytes) / (vectors * runBytes / tiling.runVectors + besideSlice));
  tiling.resident = static_cast<int>(std::clamp<int64_t>(4 * sliceThreads / tiling.block, 1, most));
  return tiling;
}

/// Threads that take 8 vectors each of so many.
int threadsOf(int64_t vectors) {
  return static_cast<int>(
      std::clamp<int64_t>(wholeWarps(ceilDiv(vectors, registerVectors)), fewestThreads, ir::Target::ctaThreads));
}

/// Such a row in the shared memory of a cluster: the larger the slices, the more threads each takes.
RowTiling holdRunsShared(const RunRows& rows, int64_t bytes, const ir::Target& target) {
  const RowTiling& tiling = rows.tiling;
  const bool isNarrow = tiling.lanes * rows.narrowest < target.vectorBytes;
  const int64_t vectors = std::max<int64_t>(1, bytes / rows.runBytes()) * tiling.runVectors;
  const bool isLarge = bytes > ofShared(target, sliceBytes) || isNarrow;
  RowTiling cut = cutIntoSlices(tiling, rows.runBytes(), bytes, isLarge ? threadsOf(vectors) : sliceThreads, target);
  cut.isPersistent = false;
  cut.resident = 0;
  return cut;
}

/// The same in as few CTAs as fill the device: one where two fit on a multiprocessor, or else a power of two of which three do.
/// Nothing for rows that registers hold faster: short ones, few in all, and what is not copied 16 bytes at once.
std::optional<RowTiling> holdRunsShared(const RunRows& rows, const ir::Target& target) {
  const RowTiling& tiling = rows.tiling;
  const bool isNarrow = tiling.lanes * rows.narrowest < target.vectorBytes;
  const bool areFew = tiling.rows * rows.rowBytes() < sharedBytesOfTwo(target) * target.processors;
  if (tiling.hasCover || areFew || rows.rowBytes() <= registerBytes) return {};
  for (int64_t ctas = 1; ctas <= std::min<int64_t>(isNarrow ? 1 : std::min(mostSharing, target.clusterCtas), tiling.runs);
       ctas *= 2) {
    const int64_t slice = ceilDiv(tiling.runs, ctas) * rows.runBytes();
    const int64_t most =
        ctas == 1 && !isNarrow ? sharedBytesOfTwo(target) : ofShared(target, isNarrow ? sliceBytes : mostSliceBytes);
    const bool fills = tiling.rows * ctas * 4 >= int64_t{5} * target.processors;
    if (fills && slice <= most && slice > registerBytes) return holdRunsShared(rows, slice, target);
  }
  return {};
}

/// Bytes of a team's slices: whole runs, of which each CTA has as many; as much of all rows is on chip at once as can be, but
/// no less than two CTAs for each multiprocessor divide them.
int64_t persistentSlice(const RunRows& rows, const ir::Target& target) {
  const int64_t run = rows.runBytes();
  const int64_t filling = std::max(leastSliceBytes, rows.tiling.rows * rows.rowBytes() / (int64_t{2} * target.processors));
  const int64_t ofFour = ofShared(target, sliceBytes), ofThree = ofShared(target, mostSliceBytes);
  if (rows.tiling.hasCover || run > ofThree) return std::min(filling, ofFour);
  const int64_t most = filling < ofFour ? ceilDiv(filling, run) : ofThree / run;
  const int64_t all = ofShared(target, allSharedBytes);
  const auto onChip = [&](int64_t runs) { return runs * run * std::min<int64_t>(4, all / (runs * run + besideSlice)); };
  const auto best = [&](bool isEven) {
    int64_t found = 1;
    for (int64_t runs = 2; runs <= std::min(most, rows.tiling.runs); ++runs)
      if ((!isEven || rows.tiling.runs % runs == 0) && onChip(runs) > onChip(found)) found = runs;
    return found;
  };
  const int64_t even = best(true), any = best(false);
  return run * (onChip(even) * 4 >= onChip(any) * 3 ? even : any);
}

/// A row of many runs for a team, or nothing where the device has no room for one: at most two CTAs a multiprocessor, so that
/// another team can begin where one ends.
std::optional<RowTiling> makePersistent(const RunRows& rows, int64_t bytes, const ir::Target& target) {
  RowTiling persistent = cutIntoSlices(rows.tiling, rows.runBytes(), bytes, sliceThreads, target);
  if (persistent.ctas > 2 * target.processors)
    persistent = cutIntoSlices(rows.tiling, rows.runBytes(), 2 * bytes, 2 * sliceThreads, target);
  if (persistent.ctas > persistent.resident * target.processors) return {};
  return persistent;
}

/// Whether a team is faster than a cluster: where the CTAs of the latter are so large that hardly any are on a multiprocessor at
/// once, or where all of the teams' CTAs run at once and not all of the clusters'.
bool isBetter(const RowTiling& persistent, const RowTiling& cluster, const ir::Target& target) {
  const auto runsAtOnce = [&](const RowTiling& tiling) {
    return tiling.rows * tiling.ctas <= int64_t{tiling.resident} * target.processors;
  };
  if (persistent.ctas < fewestPersistent || persistent.rows * persistent.ctas < target.processors) return false;
  const bool isLarge = cluster.hold != Hold::Registers || cluster.block > largestOfMany;
  return isLarge || (cluster.ctas >= fewestPersistent && runsAtOnce(persistent) && !runsAtOnce(cluster));
}

/// Slices of a row for CTAs that read it once, and store its elements while they do.
RowTiling streamed(const RunRows& rows, int64_t bytes, int threads, const ir::Target& target) {
  RowTiling cut = cutIntoSlices(rows.tiling, rows.runBytes(), bytes, threads, target);
  cut.hold = Hold::Nowhere;
  cut.isPersistent = false;
  return cut;
}

/// The same by rules: one CTA a row where that occupies about half of the multiprocessors, or else a cluster, whose slices are
/// smaller where that fills the device.
std::optional<RowTiling> streamed(const RunRows& rows, const ir::Target& target) {
  const RowTiling& tiling = rows.tiling;
  const int64_t vectors = tiling.runs * tiling.runVectors;
  const bool areMany = tiling.rows * vectors >= int64_t{4096} * target.processors;
  if (areMany && rows.rowBytes() >= shortRowBytes && tiling.rows * 9 >= int64_t{4} * target.processors) {
    RowTiling whole = streamed(rows, rows.rowBytes(), threadsOf(vectors), target);
    whole.resident = 0;
    return whole;
  }
  const int64_t filling = tiling.rows * rows.rowBytes() / (int64_t{2} * target.processors);
  const int64_t bytes = std::max(std::clamp(filling, leastSliceBytes, sliceBytes), ceilDiv(rows.rowBytes(), target.clusterCtas));
  const RowTiling cut = streamed(rows, bytes, sliceThreads, target);
  return cut.ctas <= target.clusterCtas ? std::optional(cut) : std::nullopt;
}

}  // namespace

int64_t RunRows::runBytes() const { return tiling.runVectors * tiling.lanes * (heldBytes > 0 ? heldBytes : readBytes); }

std::optional<RowTiling> chooseSegmentTiling(const RunRows& rows, const RowTiling& plain, const ir::Target& target) {
  if (rows.runBytes() == 0) return {};
  if (rows.heldBytes == 0) return streamed(rows, target);
  if (!rows.isSmall)
    if (const std::optional<RowTiling> shared = holdRunsShared(rows, target)) return shared;
  std::optional<RowTiling> persistent;
  if (rows.isStored) persistent = makePersistent(rows, persistentSlice(rows, target), target);
  std::optional<RowTiling> cluster;
  if (!rows.isSmall && rows.rowBytes() <= clusterRowBytes) cluster = holdRuns(rows, target);
  return persistent && isBetter(*persistent, cluster.value_or(plain), target) ? persistent : cluster;
}

std::optional<RowTiling> wishedRunTiling(const RunRows& rows, const RowWish& wish, const ir::Target& target) {
  if (rows.runBytes() == 0) return {};
  if (wish.splits && wish.hold == Hold::Registers && rows.heldBytes > 0)
    return holdRuns(rows.tiling, std::clamp<int>(*wish.splits, 1, target.clusterCtas), rows.heldBytes, target);
  if (!wish.slice) return {};
  const int64_t bytes = std::min(*wish.slice, rows.rowBytes());
  if (wish.isPersistent && rows.heldBytes > 0) return makePersistent(rows, bytes, target);
  const RowTiling cut = rows.heldBytes > 0 ? holdRunsShared(rows, bytes, target) : streamed(rows, bytes, sliceThreads, target);
  return cut.ctas <= target.clusterCtas ? std::optional(cut) : std::nullopt;
}

}  // namespace lowering
