#include "lowering/heuristics/segments.h"

#include "ir/index/ceil_div.h"
#include "lowering/heuristics/limits.h"
#include "lowering/heuristics/row_layout.h"

namespace lowering {
namespace {

/// CTAs of threads that each hold so much of a row of many runs, some of whose lanes may be left out. Each of the four parts of a
/// multiprocessor has registers for whole warps.
int64_t mostOfRuns(const RowDraft& draft, int64_t heldWords, const ir::Target& target) {
  const int64_t registers = limits::gpu::ownRegisters + heldWords + (draft.hasCover ? limits::cover::registers : 0);
  constexpr int64_t unit = ir::Target::registerUnit;
  const int64_t warps = ir::Target::schedulers * (registersOfWarp(target) / (ceilDiv(registers, unit) * unit));
  return warps / (draft.block / ir::Target::warp);
}

/// A row of many runs in the registers of a warp, which waits for no other one; nothing where these do not hold it.
std::optional<RowDraft> holdRunsInWarp(RowDraft draft, int64_t mostSteps, int64_t vectorBytes, const ir::Target& target) {
  constexpr int warp = ir::Target::warp;
  layOut(draft, mostSteps, warp);
  const int64_t held = draft.vectorSteps * draft.runSteps;
  if (held > mostSteps || draft.group > warp) return {};
  draft.block = limits::gpu::usualBlock;
  draft.hold = Hold::Registers;
  chooseResident(draft, mostOfRuns(draft, held * vectorBytes / 4, target), target);
  return draft;
}

/// A row of many runs in the registers of so many CTAs, of which as many as possible are on a multiprocessor at once: at most 8
/// vectors a thread. Nothing where they do not hold it.
std::optional<RowDraft> holdRuns(RowDraft draft, int ctas, int64_t elementBytes, const ir::Target& target) {
  constexpr int registerBlock = limits::segments::registerBlock;
  std::optional<RowDraft> best;
  divide(draft, ctas);
  const int64_t vectorBytes = draft.lanes * elementBytes;
  const int64_t most = limits::rows::registerVectors * target.vectorBytes / std::max<int64_t>(target.vectorBytes, vectorBytes);
  if (ctas == 1)
    if (const std::optional<RowDraft> ofWarp = holdRunsInWarp(draft, most, vectorBytes, target)) return ofWarp;
  for (const int threads :
       ctas == 1 ? std::vector{registerBlock, registerBlock / 2} : std::vector{limits::segments::clusterBlock})
    for (int64_t steps = most; steps > 1; --steps) {
      layOut(draft, steps, threads);
      const int64_t held = draft.vectorSteps * draft.runSteps;
      if (held > most || draft.group < limits::segments::fewestThreads) continue;
      draft.block = draft.group;
      draft.hold = Hold::Registers;
      chooseResident(draft, mostOfRuns(draft, held * vectorBytes / 4, target), target);
      if (!best || draft.resident > best->resident || (draft.resident == best->resident && draft.block > best->block))
        best = draft;
    }
  return best;
}

/// The smallest cluster that holds such a row and fills the device; one twice as large where a fifth more of all rows is then on
/// chip at once. One CTA is better than a cluster in any case.
std::optional<RowDraft> holdRuns(const RunRows& rows, const ir::Target& target) {
  const RowDraft& draft = rows.draft;
  std::optional<RowDraft> best;
  const auto isWorthMore = [&](const RowDraft& larger) {
    const bool holdsAll = best->rows * best->ctas <= int64_t{best->resident} * target.processors;
    return best->ctas > 1 && !holdsAll &&
           larger.resident * best->ctas > limits::segments::clusterGain.of(int64_t{best->resident} * larger.ctas);
  };
  for (int ctas = 1; ctas <= std::min<int64_t>(target.clusterCtas, draft.runs); ctas *= 2) {
    if (draft.rows * ctas <= limits::gpu::filledDevice.of(target.processors)) continue;
    const std::optional<RowDraft> held = holdRuns(draft, ctas, rows.heldBytes, target);
    if (held && (!best || isWorthMore(*held))) best = held;
  }
  return best;
}

/// Cuts a row of many runs into slices of about `bytes`, each some of the runs or a part of one, for CTAs of so many threads. Of
/// these several are on a multiprocessor at once: while some load, others store.
RowDraft cutIntoSlices(RowDraft draft, int64_t runBytes, int64_t bytes, int threads, const ir::Target& target) {
  const int64_t runs = std::max<int64_t>(1, bytes / runBytes);
  draft.alongRun = static_cast<int>(runBytes > limits::segments::longSegment.of(bytes) ? ceilDiv(runBytes, bytes) : 1);
  draft.ctas = static_cast<int>(ceilDiv(draft.runs, runs)) * draft.alongRun;
  const int64_t vectors = ceilDiv(draft.runs, draft.runSplits()) * ceilDiv(draft.runVectors, draft.alongRun);
  layOut(draft, std::max<int64_t>(1, ceilDiv(vectors, threads)), threads);
  draft.block = wholeWarps(draft.group);
  draft.hold = Hold::Shared;
  draft.isPersistent = draft.ctas > 1;
  const int64_t slice = vectors * runBytes / draft.runVectors + limits::segments::besideSliceBytes;
  const int64_t most = std::max<int64_t>(1, ofShared(target, limits::segments::allSharedBytes) / slice);
  const int wanted = limits::segments::residentSlices * limits::segments::sliceBlock / draft.block;
  draft.resident = static_cast<int>(std::clamp<int64_t>(wanted, 1, most));
  return draft;
}

/// Threads that take 8 vectors each of so many.
int threadsOf(int64_t vectors) {
  const int64_t threads = wholeWarps(ceilDiv(vectors, limits::rows::registerVectors));
  return static_cast<int>(std::clamp<int64_t>(threads, limits::segments::fewestThreads, ir::Target::ctaThreads));
}

/// Such a row in the shared memory of a cluster: the larger the slices, the more threads each takes.
RowDraft holdRunsShared(const RunRows& rows, int64_t bytes, const ir::Target& target) {
  const RowDraft& draft = rows.draft;
  const bool isNarrow = draft.lanes * rows.narrowest < target.vectorBytes;
  const int64_t vectors = std::max<int64_t>(1, bytes / rows.runBytes()) * draft.runVectors;
  const bool isLarge = bytes > ofShared(target, limits::segments::sliceBytes) || isNarrow;
  const int threads = isLarge ? threadsOf(vectors) : limits::segments::sliceBlock;
  RowDraft cut = cutIntoSlices(draft, rows.runBytes(), bytes, threads, target);
  cut.isPersistent = false;
  cut.resident = 0;
  return cut;
}

/// The same in as few CTAs as fill the device: one where two fit on a multiprocessor, or else a power of two of which three do.
/// Nothing for rows that registers hold faster: short ones, few in all, and what is not copied 16 bytes at once.
std::optional<RowDraft> holdRunsShared(const RunRows& rows, const ir::Target& target) {
  const RowDraft& draft = rows.draft;
  const bool isNarrow = draft.lanes * rows.narrowest < target.vectorBytes;
  const bool areFew = draft.rows * rows.rowBytes() < sharedBytesOfTwo(target) * target.processors;
  if (draft.hasCover || areFew || rows.rowBytes() <= limits::segments::leastSharedRowBytes) return {};
  const int mostCtas = isNarrow ? 1 : std::min(limits::segments::mostClusterCtas, target.clusterCtas);
  for (int64_t ctas = 1; ctas <= std::min<int64_t>(mostCtas, draft.runs); ctas *= 2) {
    const int64_t slice = ceilDiv(draft.runs, ctas) * rows.runBytes();
    const int64_t ofMany = isNarrow ? limits::segments::sliceBytes : limits::segments::mostSliceBytes;
    const int64_t most = ctas == 1 && !isNarrow ? sharedBytesOfTwo(target) : ofShared(target, ofMany);
    const bool fills = limits::segments::sharedFilling.isReached(draft.rows * ctas, target.processors);
    if (fills && slice <= most && slice > limits::segments::leastSharedRowBytes) return holdRunsShared(rows, slice, target);
  }
  return {};
}

/// Bytes of a slice of a persistent cluster: whole runs, equally many a CTA. As much of all rows is on chip at once as fits, in
/// no fewer than two CTAs a multiprocessor.
int64_t persistentSlice(const RunRows& rows, const ir::Target& target) {
  const int64_t run = rows.runBytes();
  const int64_t ctas = int64_t{limits::segments::fillingCtas} * target.processors;
  const int64_t filling = std::max(limits::segments::leastSliceBytes, rows.draft.rows * rows.rowBytes() / ctas);
  const int64_t ofFour = ofShared(target, limits::segments::sliceBytes);
  const int64_t ofThree = ofShared(target, limits::segments::mostSliceBytes);
  if (rows.draft.hasCover || run > ofThree) return std::min(filling, ofFour);
  const int64_t most = filling < ofFour ? ceilDiv(filling, run) : ofThree / run;
  const int64_t all = ofShared(target, limits::segments::allSharedBytes);
  const auto onChip = [&](int64_t runs) {
    const int64_t resident = all / (runs * run + limits::segments::besideSliceBytes);
    return runs * run * std::min<int64_t>(limits::segments::residentSlices, resident);
  };
  const auto best = [&](bool isEven) {
    int64_t found = 1;
    for (int64_t runs = 2; runs <= std::min(most, rows.draft.runs); ++runs)
      if ((!isEven || rows.draft.runs % runs == 0) && onChip(runs) > onChip(found)) found = runs;
    return found;
  };
  const int64_t even = best(true), any = best(false);
  return run * (limits::segments::evenSlices.isReached(onChip(even), onChip(any)) ? even : any);
}

/// A row of many runs for a persistent cluster, or nothing where the device has no room for one: at most two CTAs a
/// multiprocessor, so that another cluster can begin where one ends.
std::optional<RowDraft> makePersistent(const RunRows& rows, int64_t bytes, const ir::Target& target) {
  constexpr int threads = limits::segments::sliceBlock;
  RowDraft persistent = cutIntoSlices(rows.draft, rows.runBytes(), bytes, threads, target);
  if (persistent.ctas > limits::segments::fillingCtas * target.processors)
    persistent = cutIntoSlices(rows.draft, rows.runBytes(), 2 * bytes, 2 * threads, target);
  if (persistent.ctas > persistent.resident * target.processors) return {};
  return persistent;
}

/// Whether a persistent cluster is faster than one of the hardware: where the CTAs of the latter are so large that hardly any are
/// resident, or where all CTAs of the former are resident and not all of the latter.
bool isBetter(const RowDraft& persistent, const RowDraft& cluster, const ir::Target& target) {
  const auto runsAtOnce = [&](const RowDraft& draft) {
    return draft.rows * draft.ctas <= int64_t{draft.resident} * target.processors;
  };
  if (persistent.ctas < limits::segments::fewestPersistent || persistent.rows * persistent.ctas < target.processors) return false;
  const bool isLarge = cluster.hold != Hold::Registers || cluster.block > limits::segments::clusterBlock;
  return isLarge || (cluster.ctas >= limits::segments::fewestPersistent && runsAtOnce(persistent) && !runsAtOnce(cluster));
}

/// Slices of a row for CTAs that read it once, and store its elements while they do.
RowDraft streamed(const RunRows& rows, int64_t bytes, int threads, const ir::Target& target) {
  RowDraft cut = cutIntoSlices(rows.draft, rows.runBytes(), bytes, threads, target);
  cut.hold = Hold::Nowhere;
  cut.isPersistent = false;
  return cut;
}

/// The same by rules: one CTA a row where that occupies about half of the multiprocessors, or else a cluster, whose slices are
/// smaller where that fills the device.
std::optional<RowDraft> streamed(const RunRows& rows, const ir::Target& target) {
  const RowDraft& draft = rows.draft;
  const int64_t vectors = draft.runs * draft.runVectors;
  const bool areMany = draft.rows * vectors >= limits::segments::wholeRowVectors * target.processors;
  const bool occupy = limits::segments::wholeRows.isReached(draft.rows, target.processors);
  if (areMany && occupy && rows.rowBytes() >= limits::segments::wholeRowBytes) {
    RowDraft whole = streamed(rows, rows.rowBytes(), threadsOf(vectors), target);
    whole.resident = 0;
    return whole;
  }
  const int64_t filling = draft.rows * rows.rowBytes() / (int64_t{limits::segments::fillingCtas} * target.processors);
  const int64_t slice = std::clamp(filling, limits::segments::leastSliceBytes, limits::segments::sliceBytes);
  const int64_t bytes = std::max(slice, ceilDiv(rows.rowBytes(), target.clusterCtas));
  const RowDraft cut = streamed(rows, bytes, limits::segments::sliceBlock, target);
  return cut.ctas <= target.clusterCtas ? std::optional(cut) : std::nullopt;
}

}  // namespace

int64_t RunRows::runBytes() const { return draft.runVectors * draft.lanes * (heldBytes > 0 ? heldBytes : readBytes); }

std::optional<RowDraft> draftSegments(const RunRows& rows, const RowDraft& plain, const ir::Target& target) {
  if (rows.runBytes() == 0) return {};
  if (rows.heldBytes == 0) return streamed(rows, target);
  if (!rows.isSmall)
    if (const std::optional<RowDraft> shared = holdRunsShared(rows, target)) return shared;
  std::optional<RowDraft> persistent;
  if (rows.isStored) persistent = makePersistent(rows, persistentSlice(rows, target), target);
  std::optional<RowDraft> cluster;
  if (!rows.isSmall && rows.rowBytes() <= limits::segments::clusterRowBytes) cluster = holdRuns(rows, target);
  return persistent && isBetter(*persistent, cluster.value_or(plain), target) ? persistent : cluster;
}

std::optional<RowDraft> wishedRuns(const RunRows& rows, const RowWish& wish, const ir::Target& target) {
  if (rows.runBytes() == 0) return {};
  if (wish.splits && wish.hold == Hold::Registers && rows.heldBytes > 0)
    return holdRuns(rows.draft, std::clamp<int>(*wish.splits, 1, target.clusterCtas), rows.heldBytes, target);
  if (!wish.slice) return {};
  const int64_t bytes = std::min(*wish.slice, rows.rowBytes());
  if (wish.isPersistent && rows.heldBytes > 0) return makePersistent(rows, bytes, target);
  const RowDraft cut =
      rows.heldBytes > 0 ? holdRunsShared(rows, bytes, target) : streamed(rows, bytes, limits::segments::sliceBlock, target);
  return cut.ctas <= target.clusterCtas ? std::optional(cut) : std::nullopt;
}

}  // namespace lowering
