#include "lowering/heuristics/segments.h"

#include "ir/index/ceil_div.h"
#include "lowering/heuristics/limits.h"
#include "lowering/heuristics/row_layout.h"

namespace lowering {
namespace {

/// CTAs of threads that each hold so much of a row of many runs, some of whose lanes may be left out. Each of the four parts of a
/// multiprocessor has registers for whole warps.
int64_t mostOfRuns(const RowMapping& mapping, int64_t heldWords, const ir::Target& target) {
  const int64_t registers = limits::gpu::ownRegisters + heldWords + (mapping.hasCover ? limits::cover::registers : 0);
  constexpr int64_t unit = ir::Target::registerUnit;
  const int64_t warps = ir::Target::schedulers * (registersOfWarp(target) / (ceilDiv(registers, unit) * unit));
  return warps / (mapping.block / ir::Target::warp);
}

/// A row of many runs in the registers of so many CTAs, of which as many as possible are on a multiprocessor at once: at most 8
/// vectors a thread. Nothing where they do not hold it.
std::optional<RowMapping> holdRuns(RowMapping mapping, int ctas, int64_t elementBytes, const ir::Target& target) {
  constexpr int registerBlock = limits::segments::registerBlock;
  std::optional<RowMapping> best;
  divide(mapping, ctas);
  const int64_t vectorBytes = mapping.lanes * elementBytes;
  const int64_t most = limits::rows::registerVectors * target.vectorBytes / std::max<int64_t>(target.vectorBytes, vectorBytes);
  for (const int threads :
       ctas == 1 ? std::vector{registerBlock, registerBlock / 2} : std::vector{limits::segments::clusterBlock})
    for (int64_t steps = most; steps > 1; --steps) {
      layOut(mapping, steps, threads);
      const int64_t held = mapping.vectorSteps * mapping.runSteps;
      if (held > most || mapping.group < limits::segments::fewestThreads) continue;
      mapping.block = mapping.group;
      mapping.hold = Hold::Registers;
      chooseResident(mapping, mostOfRuns(mapping, held * vectorBytes / 4, target), target);
      if (!best || mapping.resident > best->resident || (mapping.resident == best->resident && mapping.block > best->block))
        best = mapping;
    }
  return best;
}

/// The smallest cluster that holds such a row and fills the device; one twice as large where a fifth more of all rows is then on
/// chip at once. One CTA is better than a cluster in any case.
std::optional<RowMapping> holdRuns(const RunRows& rows, const ir::Target& target) {
  const RowMapping& mapping = rows.mapping;
  std::optional<RowMapping> best;
  const auto isWorthMore = [&](const RowMapping& larger) {
    const bool holdsAll = best->rows * best->ctas <= int64_t{best->resident} * target.processors;
    return best->ctas > 1 && !holdsAll &&
           larger.resident * best->ctas > limits::segments::clusterGain.of(int64_t{best->resident} * larger.ctas);
  };
  for (int ctas = 1; ctas <= std::min<int64_t>(target.clusterCtas, mapping.runs); ctas *= 2) {
    if (mapping.rows * ctas <= limits::gpu::filledDevice.of(target.processors)) continue;
    const std::optional<RowMapping> held = holdRuns(mapping, ctas, rows.heldBytes, target);
    if (held && (!best || isWorthMore(*held))) best = held;
  }
  return best;
}

/// Cuts a row of many runs into slices of about `bytes`, each some of the runs or a part of one, for CTAs of so many threads. Of
/// these several are on a multiprocessor at once: while some load, others store.
RowMapping cutIntoSlices(RowMapping mapping, int64_t runBytes, int64_t bytes, int threads, const ir::Target& target) {
  const int64_t runs = std::max<int64_t>(1, bytes / runBytes);
  mapping.alongRun = static_cast<int>(runBytes > limits::segments::longSegment.of(bytes) ? ceilDiv(runBytes, bytes) : 1);
  mapping.ctas = static_cast<int>(ceilDiv(mapping.runs, runs)) * mapping.alongRun;
  const int64_t vectors = ceilDiv(mapping.runs, mapping.runSplits()) * ceilDiv(mapping.runVectors, mapping.alongRun);
  layOut(mapping, std::max<int64_t>(1, ceilDiv(vectors, threads)), threads);
  mapping.block = mapping.group;
  mapping.hold = Hold::Shared;
  mapping.isPersistent = mapping.ctas > 1;
  const int64_t slice = vectors * runBytes / mapping.runVectors + limits::segments::besideSliceBytes;
  const int64_t most = std::max<int64_t>(1, ofShared(target, limits::segments::allSharedBytes) / slice);
  const int wanted = limits::segments::residentSlices * limits::segments::sliceBlock / mapping.block;
  mapping.resident = static_cast<int>(std::clamp<int64_t>(wanted, 1, most));
  return mapping;
}

/// Threads that take 8 vectors each of so many.
int threadsOf(int64_t vectors) {
  const int64_t threads = wholeWarps(ceilDiv(vectors, limits::rows::registerVectors));
  return static_cast<int>(std::clamp<int64_t>(threads, limits::segments::fewestThreads, ir::Target::ctaThreads));
}

/// Such a row in the shared memory of a cluster: the larger the slices, the more threads each takes.
RowMapping holdRunsShared(const RunRows& rows, int64_t bytes, const ir::Target& target) {
  const RowMapping& mapping = rows.mapping;
  const bool isNarrow = mapping.lanes * rows.narrowest < target.vectorBytes;
  const int64_t vectors = std::max<int64_t>(1, bytes / rows.runBytes()) * mapping.runVectors;
  const bool isLarge = bytes > ofShared(target, limits::segments::sliceBytes) || isNarrow;
  const int threads = isLarge ? threadsOf(vectors) : limits::segments::sliceBlock;
  RowMapping cut = cutIntoSlices(mapping, rows.runBytes(), bytes, threads, target);
  cut.isPersistent = false;
  cut.resident = 0;
  return cut;
}

/// The same in as few CTAs as fill the device: one where two fit on a multiprocessor, or else a power of two of which three do.
/// Nothing for rows that registers hold faster: short ones, few in all, and what is not copied 16 bytes at once.
std::optional<RowMapping> holdRunsShared(const RunRows& rows, const ir::Target& target) {
  const RowMapping& mapping = rows.mapping;
  const bool isNarrow = mapping.lanes * rows.narrowest < target.vectorBytes;
  const bool areFew = mapping.rows * rows.rowBytes() < sharedBytesOfTwo(target) * target.processors;
  if (mapping.hasCover || areFew || rows.rowBytes() <= limits::segments::leastSharedRowBytes) return {};
  const int mostCtas = isNarrow ? 1 : std::min(limits::segments::mostClusterCtas, target.clusterCtas);
  for (int64_t ctas = 1; ctas <= std::min<int64_t>(mostCtas, mapping.runs); ctas *= 2) {
    const int64_t slice = ceilDiv(mapping.runs, ctas) * rows.runBytes();
    const int64_t ofMany = isNarrow ? limits::segments::sliceBytes : limits::segments::mostSliceBytes;
    const int64_t most = ctas == 1 && !isNarrow ? sharedBytesOfTwo(target) : ofShared(target, ofMany);
    const bool fills = limits::segments::sharedFilling.isReached(mapping.rows * ctas, target.processors);
    if (fills && slice <= most && slice > limits::segments::leastSharedRowBytes) return holdRunsShared(rows, slice, target);
  }
  return {};
}

/// Bytes of a slice of a persistent cluster: whole runs, equally many a CTA. As much of all rows is on chip at once as fits, in
/// no fewer than two CTAs a multiprocessor.
int64_t persistentSlice(const RunRows& rows, const ir::Target& target) {
  const int64_t run = rows.runBytes();
  const int64_t ctas = int64_t{limits::segments::fillingCtas} * target.processors;
  const int64_t filling = std::max(limits::segments::leastSliceBytes, rows.mapping.rows * rows.rowBytes() / ctas);
  const int64_t ofFour = ofShared(target, limits::segments::sliceBytes);
  const int64_t ofThree = ofShared(target, limits::segments::mostSliceBytes);
  if (rows.mapping.hasCover || run > ofThree) return std::min(filling, ofFour);
  const int64_t most = filling < ofFour ? ceilDiv(filling, run) : ofThree / run;
  const int64_t all = ofShared(target, limits::segments::allSharedBytes);
  const auto onChip = [&](int64_t runs) {
    const int64_t resident = all / (runs * run + limits::segments::besideSliceBytes);
    return runs * run * std::min<int64_t>(limits::segments::residentSlices, resident);
  };
  const auto best = [&](bool isEven) {
    int64_t found = 1;
    for (int64_t runs = 2; runs <= std::min(most, rows.mapping.runs); ++runs)
      if ((!isEven || rows.mapping.runs % runs == 0) && onChip(runs) > onChip(found)) found = runs;
    return found;
  };
  const int64_t even = best(true), any = best(false);
  return run * (limits::segments::evenSlices.isReached(onChip(even), onChip(any)) ? even : any);
}

/// A row of many runs for a persistent cluster, or nothing where the device has no room for one: at most two CTAs a
/// multiprocessor, so that another cluster can begin where one ends.
std::optional<RowMapping> makePersistent(const RunRows& rows, int64_t bytes, const ir::Target& target) {
  constexpr int threads = limits::segments::sliceBlock;
  RowMapping persistent = cutIntoSlices(rows.mapping, rows.runBytes(), bytes, threads, target);
  if (persistent.ctas > limits::segments::fillingCtas * target.processors)
    persistent = cutIntoSlices(rows.mapping, rows.runBytes(), 2 * bytes, 2 * threads, target);
  if (persistent.ctas > persistent.resident * target.processors) return {};
  return persistent;
}

/// Whether a persistent cluster is faster than one of the hardware: where the CTAs of the latter are so large that hardly any are
/// resident, or where all CTAs of the former are resident and not all of the latter.
bool isBetter(const RowMapping& persistent, const RowMapping& cluster, const ir::Target& target) {
  const auto runsAtOnce = [&](const RowMapping& mapping) {
    return mapping.rows * mapping.ctas <= int64_t{mapping.resident} * target.processors;
  };
  if (persistent.ctas < limits::segments::fewestPersistent || persistent.rows * persistent.ctas < target.processors) return false;
  const bool isLarge = cluster.hold != Hold::Registers || cluster.block > limits::segments::clusterBlock;
  return isLarge || (cluster.ctas >= limits::segments::fewestPersistent && runsAtOnce(persistent) && !runsAtOnce(cluster));
}

/// Slices of a row for CTAs that read it once, and store its elements while they do.
RowMapping streamed(const RunRows& rows, int64_t bytes, int threads, const ir::Target& target) {
  RowMapping cut = cutIntoSlices(rows.mapping, rows.runBytes(), bytes, threads, target);
  cut.hold = Hold::Nowhere;
  cut.isPersistent = false;
  return cut;
}

/// The same by rules: one CTA a row where that occupies about half of the multiprocessors, or else a cluster, whose slices are
/// smaller where that fills the device.
std::optional<RowMapping> streamed(const RunRows& rows, const ir::Target& target) {
  const RowMapping& mapping = rows.mapping;
  const int64_t vectors = mapping.runs * mapping.runVectors;
  const bool areMany = mapping.rows * vectors >= limits::segments::wholeRowVectors * target.processors;
  const bool occupy = limits::segments::wholeRows.isReached(mapping.rows, target.processors);
  if (areMany && occupy && rows.rowBytes() >= limits::segments::wholeRowBytes) {
    RowMapping whole = streamed(rows, rows.rowBytes(), threadsOf(vectors), target);
    whole.resident = 0;
    return whole;
  }
  const int64_t filling = mapping.rows * rows.rowBytes() / (int64_t{limits::segments::fillingCtas} * target.processors);
  const int64_t slice = std::clamp(filling, limits::segments::leastSliceBytes, limits::segments::sliceBytes);
  const int64_t bytes = std::max(slice, ceilDiv(rows.rowBytes(), target.clusterCtas));
  const RowMapping cut = streamed(rows, bytes, limits::segments::sliceBlock, target);
  return cut.ctas <= target.clusterCtas ? std::optional(cut) : std::nullopt;
}

}  // namespace

int64_t RunRows::runBytes() const { return mapping.runVectors * mapping.lanes * (heldBytes > 0 ? heldBytes : readBytes); }

std::optional<RowMapping> chooseSegmentMapping(const RunRows& rows, const RowMapping& plain, const ir::Target& target) {
  if (rows.runBytes() == 0) return {};
  if (rows.heldBytes == 0) return streamed(rows, target);
  if (!rows.isSmall)
    if (const std::optional<RowMapping> shared = holdRunsShared(rows, target)) return shared;
  std::optional<RowMapping> persistent;
  if (rows.isStored) persistent = makePersistent(rows, persistentSlice(rows, target), target);
  std::optional<RowMapping> cluster;
  if (!rows.isSmall && rows.rowBytes() <= limits::segments::clusterRowBytes) cluster = holdRuns(rows, target);
  return persistent && isBetter(*persistent, cluster.value_or(plain), target) ? persistent : cluster;
}

std::optional<RowMapping> wishedRunMapping(const RunRows& rows, const RowWish& wish, const ir::Target& target) {
  if (rows.runBytes() == 0) return {};
  if (wish.splits && wish.hold == Hold::Registers && rows.heldBytes > 0)
    return holdRuns(rows.mapping, std::clamp<int>(*wish.splits, 1, target.clusterCtas), rows.heldBytes, target);
  if (!wish.slice) return {};
  const int64_t bytes = std::min(*wish.slice, rows.rowBytes());
  if (wish.isPersistent && rows.heldBytes > 0) return makePersistent(rows, bytes, target);
  const RowMapping cut =
      rows.heldBytes > 0 ? holdRunsShared(rows, bytes, target) : streamed(rows, bytes, limits::segments::sliceBlock, target);
  return cut.ctas <= target.clusterCtas ? std::optional(cut) : std::nullopt;
}

}  // namespace lowering
