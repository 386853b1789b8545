#include "lowering/row_tiling.h"
#include "lowering/ceil_div.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <set>

namespace lowering {
namespace {

constexpr int widestVector = 16;  // bytes
constexpr int mostThreads = 1024;
constexpr int widestColumns = 512;           // threads along a run, if it leaves enough work for them
constexpr int widestBlock = 512;             // threads of a CTA of several rows, or of many runs
constexpr int fewestThreads = 64;            // of a CTA that has a single row of many runs
constexpr int64_t manyCtas = 6144;           // to launch one takes 0.6 ns: more of them would take longer than their work
constexpr int mostCtas = 16;                 // of a cluster
constexpr int64_t registerVectors = 8;       // that a thread holds
constexpr int64_t registerRowBytes = 32768;  // of a plain row; longer ones are faster in shared memory
constexpr int64_t registerRunBytes = 51200;  // of a row of many runs
constexpr int64_t sharedBytes = 102400;      // of a CTA: two fit on a multiprocessor
constexpr int64_t sliceBytes = 51200;        // of a row, for a CTA of a team: four fit on a multiprocessor
constexpr int64_t leastSliceBytes = 8192;
constexpr int sliceThreads = 256;
constexpr int64_t clusterRowBytes = 10 * sliceBytes;  // of a row of many runs that a cluster's registers hold faster than a team
constexpr int leastTeam = 4;                          // CTAs: rows of fewer slices are faster in clusters
constexpr int largestOfMany = 320;                    // threads of a CTA of which there are several on a multiprocessor
constexpr int64_t allSharedBytes = 230000;            // of a multiprocessor

/// What an element of a row is read as and written as.
struct RowAccesses {
  std::vector<const Access*> contiguous;  ///< that move from row to row and run along the innermost dim
  int64_t readBytes = 0;                  ///< of an element, of the loads
  int64_t heldBytes = 0;                  ///< of an element, of the loads that more than one sweep needs
  int64_t commonBytes = 0;                ///< of an element, of the loads along it that all rows share, such as weights
  int64_t widest = 1, narrowest = 8;      ///< bytes of an element of `contiguous`
};

RowAccesses accessesOf(const Nest& nest, const Domain& domain) {
  std::map<const ir::Expr*, std::set<int>> sweeps;
  const auto note = [&](const ir::Expr* value, int sweep) {
    for (const ir::Expr* node : ir::postorder({value})) sweeps[node].insert(sweep);
  };
  for (const Reduction& reduction : nest.reductions) note(reduction.body, reduction.pass);
  for (const ir::StoreTo& store : nest.elementStores) note(store.value, nest.storingPass());

  RowAccesses found;
  const auto add = [&](const Access& access) {
    if (!isRowAccess(domain, access)) {
      if (access.node != nullptr && domain.isInnerContiguous(access)) found.commonBytes += access.elementBytes;
      return;
    }
    found.contiguous.push_back(&access);
    found.widest = std::max(found.widest, access.elementBytes);
    found.narrowest = std::min(found.narrowest, access.elementBytes);
    if (access.node != nullptr) found.readBytes += access.elementBytes;
    if (access.node != nullptr && sweeps[access.node].size() > 1) found.heldBytes += access.elementBytes;
  };
  for (const Access& access : domain.loads()) add(access);
  for (std::size_t i = nest.rowStores.size(); i < domain.stores().size(); ++i) add(domain.stores()[i]);
  return found;
}

int widestLanes(const RowAccesses& accesses) {
  return static_cast<int>(std::min(widestVector / accesses.narrowest, 2 * widestVector / accesses.widest));
}

int chooseLanes(const Domain& domain, const RowAccesses& accesses) {
  if (accesses.contiguous.empty()) return 1;
  int lanes = widestLanes(accesses);
  const auto fits = [&](const Access* access) { return domain.isAligned(*access, lanes, domain.innermost()); };
  while (lanes > 1 &&
         (domain.inner().extent % lanes != 0 || !std::all_of(accesses.contiguous.begin(), accesses.contiguous.end(), fits)))
    lanes /= 2;
  return lanes;
}

/// Elements that runs may start after a multiple of `lanes`, the same for all accesses, or nothing where they differ: then no
/// aligned vectors cover the runs of all.
std::optional<int64_t> largestShift(const Domain& domain, const RowAccesses& accesses, int lanes) {
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

/// Whole vectors where the runs are made of them, aligned windows over them where that saves narrow accesses.
void chooseVectors(RowTiling& tiling, const Domain& domain, const RowAccesses& accesses) {
  tiling.lanes = chooseLanes(domain, accesses);
  tiling.runVectors = domain.inner().extent / tiling.lanes;
  if (accesses.contiguous.empty()) return;
  const int widest = widestLanes(accesses);
  if (tiling.lanes * 2 >= widest || domain.inner().extent < 2 * widest) return;
  if (const std::optional<int64_t> shift = largestShift(domain, accesses, widest)) {
    tiling.windows = true;
    tiling.lanes = widest;
    tiling.runVectors = ceilDiv(domain.inner().extent + *shift, widest);
  }
}

/// Threads that a row takes if so many of them have something to do: a part of a warp that shuffles can combine, or warps.
int64_t groupOf(int64_t threads) {
  return threads <= 32 ? static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(threads))) : ceilDiv(threads, 32) * 32;
}

/// Divides a row among so many CTAs: its runs, and where these are fewer each run as well.
void divide(RowTiling& tiling, int64_t ctas) {
  tiling.alongRun = static_cast<int>(ceilDiv(ctas, std::max<int64_t>(1, tiling.runs)));
  tiling.ctas = static_cast<int>(ctas / tiling.alongRun) * tiling.alongRun;
}

/// Lays a CTA's share of a row over at most so many threads that take about `steps` vectors each.
void layOut(RowTiling& tiling, int64_t steps, int threads = mostThreads) {
  const int64_t runs = std::max<int64_t>(1, ceilDiv(tiling.runs, tiling.runParts()));
  const int64_t vectors = ceilDiv(tiling.runVectors, tiling.alongRun);
  const int64_t most = tiling.hasRuns() ? std::min(threads, widestColumns) : threads;
  tiling.vectorSteps = ceilDiv(vectors, most);
  if (runs == 1) tiling.vectorSteps = std::max(tiling.vectorSteps, std::min(steps, vectors));
  tiling.columns = static_cast<int>(ceilDiv(vectors, tiling.vectorSteps));
  tiling.runSteps = std::clamp<int64_t>(steps / tiling.vectorSteps, 1, runs);
  tiling.runsAtOnce = static_cast<int>(std::min<int64_t>(ceilDiv(runs, tiling.runSteps), threads / tiling.columns));
  tiling.runSteps = ceilDiv(runs, tiling.runsAtOnce);
  const int64_t busy = int64_t{tiling.columns} * tiling.runsAtOnce;
  tiling.group = static_cast<int>(tiling.parts() == 1 ? groupOf(busy) : ceilDiv(busy, 32) * 32);
}

/// Vectors a thread should take of a plain row: one while that does not fill the device, then few, with hardly any idle thread.
int64_t chooseSteps(const RowTiling& tiling, bool isOneSweep, const ir::Target& target) {
  const int64_t vectors = ceilDiv(tiling.runVectors * tiling.runs, tiling.parts());
  const bool isSmall = tiling.rows * tiling.parts() * vectors <= int64_t{2048} * target.processors;
  if (tiling.hasRuns()) return isSmall ? std::max<int64_t>(1, ceilDiv(vectors, 256)) : registerVectors;
  if (isSmall) return std::max<int64_t>(1, ceilDiv(vectors, 512));
  if (vectors > 256) return registerVectors;
  // As many steps as leave the fewest threads idle, near what is best where none is; a sum alone is best left to one warp.
  const int64_t usual = vectors <= 32 ? 1 : isOneSweep ? ceilDiv(vectors, 32) : 2;
  int64_t best = usual;
  double least = std::numeric_limits<double>::infinity();
  for (int64_t steps = 1; steps <= registerVectors; ++steps) {
    const int64_t group = groupOf(ceilDiv(vectors, steps));
    if ((isOneSweep && group > 32) || group < std::min<int64_t>(8, groupOf(vectors))) continue;
    const double slots = static_cast<double>(group * steps) * (steps == usual ? 1 : 1.05);
    if (slots >= least) continue;
    least = slots;
    best = steps;
  }
  return best;
}

/// The same of rows that several tensors are read for at once. Windows in a part of a warp are best left to half of it, each of
/// whose threads finds out once where its row begins.
int64_t chooseSteps(const RowTiling& tiling, bool isOneSweep, int64_t vectorsAtOnce, const ir::Target& target) {
  const int64_t vectors = tiling.runVectors * tiling.runs;
  const bool isSmall = tiling.rows * vectors <= int64_t{2048} * target.processors;
  if (tiling.windows && !isOneSweep && !isSmall && vectors > 16 && vectors <= 32) return 2;
  return std::max<int64_t>(1, chooseSteps(tiling, isOneSweep, target) / vectorsAtOnce);
}

/// Fills a CTA with rows, but not so many that multiprocessors stay without one.
void fillBlock(RowTiling& tiling, const ir::Target& target) {
  int rows = std::max(1, 128 / tiling.group);
  while (rows * tiling.group > 32 && rows > 1 && ceilDiv(tiling.rows, rows) < int64_t{2} * target.processors) rows /= 2;
  const int64_t widest = tiling.group <= 32 ? widestBlock : 128;  // warps of different rows should not wait for each other
  while (ceilDiv(tiling.rows, rows) > manyCtas && rows * tiling.group * 2 <= widest) rows *= 2;
  tiling.block = tiling.group * rows;
}

/// As many CTAs on a multiprocessor as it takes to have all of them running, but no more than have the registers they need. Those
/// of a cluster start together, and leave a few places empty.
void chooseResident(RowTiling& tiling, int64_t most, const ir::Target& target) {
  const int64_t ctas = ceilDiv(tiling.rows, tiling.rowsPerCta()) * tiling.ctas;
  const int64_t wanted = ceilDiv(tiling.ctas > 1 && tiling.hasRuns() ? ctas * 9 / 8 : ctas, target.processors);
  tiling.resident = static_cast<int>(std::clamp<int64_t>(wanted, 1, std::clamp<int64_t>(most, 1, 2048 / tiling.block)));
}

/// CTAs of threads that each hold so much of a plain row, and some of the weights that they read ahead.
int64_t mostOfRows(const RowTiling& tiling, int64_t heldWords, int64_t commonWords) {
  const int64_t registers = 24 + heldWords * 5 / 4 + std::min<int64_t>(24, commonWords * 3 / 4);
  return 65536 / (registers * tiling.block);
}

/// CTAs of threads that each hold so much of a row of many runs, some of whose lanes may be left out. Each of the four parts of a
/// multiprocessor has registers for whole warps.
int64_t mostOfRuns(const RowTiling& tiling, int64_t heldWords) {
  const int64_t registers = 24 + heldWords + (tiling.windows ? 8 : 0);
  const int64_t warps = 4 * (512 / (ceilDiv(registers, 8) * 8));
  return warps / (tiling.block / 32);
}

/// A row of many runs in the registers of so many CTAs, of which as many as possible are on a multiprocessor at once: at most 8
/// vectors a thread. Nothing where they do not hold it.
std::optional<RowTiling> heldRuns(RowTiling tiling, int ctas, int64_t elementBytes, const ir::Target& target) {
  std::optional<RowTiling> best;
  divide(tiling, ctas);
  const int64_t vectorBytes = tiling.lanes * elementBytes;
  const int64_t most = registerVectors * widestVector / std::max<int64_t>(widestVector, vectorBytes);
  for (const int threads : ctas == 1 ? std::vector{widestBlock, widestBlock / 2} : std::vector{largestOfMany})
    for (int64_t steps = most; steps > 1; --steps) {
      layOut(tiling, steps, threads);
      const int64_t held = tiling.vectorSteps * tiling.runSteps;
      if (held > most || tiling.group < fewestThreads) continue;
      tiling.block = tiling.group;
      tiling.hold = Hold::Registers;
      chooseResident(tiling, mostOfRuns(tiling, held * vectorBytes / 4), target);
      if (!best || tiling.resident > best->resident || (tiling.resident == best->resident && tiling.block > best->block))
        best = tiling;
    }
  return best;
}

/// The smallest cluster that holds such a row and fills the device; one twice as large where a fifth more of all rows is then on
/// chip at once. One CTA is better than a cluster in any case.
std::optional<RowTiling> heldRuns(const RowTiling& tiling, int64_t elementBytes, const ir::Target& target) {
  std::optional<RowTiling> best;
  const auto isWorthMore = [&](const RowTiling& larger) {
    const bool holdsAll = best->rows * best->ctas <= int64_t{best->resident} * target.processors;
    return best->ctas > 1 && !holdsAll && larger.resident * best->ctas * 5 > best->resident * larger.ctas * 6;
  };
  for (int ctas = 1; ctas <= std::min<int64_t>(mostCtas, tiling.runs); ctas *= 2) {
    if (tiling.rows * ctas * 4 <= int64_t{3} * target.processors) continue;
    const std::optional<RowTiling> held = heldRuns(tiling, ctas, elementBytes, target);
    if (held && (!best || isWorthMore(*held))) best = held;
  }
  return best;
}

/// Cuts a row of many runs into slices of about `bytes`, each some of the runs or a part of one, for CTAs of so many threads. Of
/// these several are on a multiprocessor at once: while some load, others store.
RowTiling sliced(RowTiling tiling, int64_t runBytes, int64_t bytes, int threads) {
  const int64_t runs = std::max<int64_t>(1, bytes / runBytes);
  tiling.alongRun = static_cast<int>(runBytes * 4 > bytes * 5 ? ceilDiv(runBytes, bytes) : 1);
  tiling.ctas = static_cast<int>(ceilDiv(tiling.runs, runs)) * tiling.alongRun;
  const int64_t vectors = ceilDiv(tiling.runs, tiling.runParts()) * ceilDiv(tiling.runVectors, tiling.alongRun);
  layOut(tiling, std::max<int64_t>(1, ceilDiv(vectors, threads)), threads);
  tiling.block = tiling.group;
  tiling.hold = Hold::Shared;
  tiling.team = tiling.ctas > 1;
  const int64_t most = std::max<int64_t>(1, allSharedBytes / (vectors * runBytes / tiling.runVectors + 2048));
  tiling.resident = static_cast<int>(std::clamp<int64_t>(4 * sliceThreads / tiling.block, 1, most));
  return tiling;
}

/// Bytes of slices that fill the device with two CTAs a multiprocessor, within what is worth a CTA.
int64_t fillingSlice(const RowTiling& tiling, int64_t runBytes, const ir::Target& target) {
  const int64_t filling = tiling.rows * tiling.runs * runBytes / (int64_t{2} * target.processors);
  return std::clamp(filling, leastSliceBytes, sliceBytes);
}

/// A row of many runs for a team, or nothing where the device has no room for one: at most two CTAs a multiprocessor, so that
/// another team can begin where one ends.
std::optional<RowTiling> teamed(const RowTiling& tiling, int64_t runBytes, int64_t bytes, const ir::Target& target) {
  RowTiling team = sliced(tiling, runBytes, bytes, sliceThreads);
  if (team.ctas > 2 * target.processors) team = sliced(tiling, runBytes, 2 * bytes, 2 * sliceThreads);
  if (team.ctas > team.resident * target.processors) return {};
  return team;
}

/// Whether a team is faster than a cluster: where the CTAs of the latter are so large that hardly any are on a multiprocessor at
/// once, or where all of the teams' CTAs run at once and not all of the clusters'.
bool isBetter(const RowTiling& team, const RowTiling& cluster, const ir::Target& target) {
  const auto runsAtOnce = [&](const RowTiling& tiling) {
    return tiling.rows * tiling.ctas <= int64_t{tiling.resident} * target.processors;
  };
  if (team.ctas < leastTeam || team.rows * team.ctas < target.processors) return false;
  const bool isLarge = cluster.hold != Hold::Registers || cluster.block > largestOfMany;
  return isLarge || (cluster.ctas >= leastTeam && runsAtOnce(team) && !runsAtOnce(cluster));
}

/// A row of many runs for a cluster whose CTAs read it once, and store its elements while they do: smaller slices where that
/// fills the device.
std::optional<RowTiling> streamed(const RowTiling& tiling, int64_t runBytes, const ir::Target& target) {
  if (runBytes == 0) return {};
  const int64_t least = ceilDiv(runBytes * tiling.runs, mostCtas);
  RowTiling cut = sliced(tiling, runBytes, std::max(fillingSlice(tiling, runBytes, target), least), sliceThreads);
  if (cut.ctas > mostCtas) return {};
  cut.hold = Hold::Nowhere;
  cut.team = false;
  return cut;
}

bool isHeld(const RowTiling& tiling) { return tiling.hold == Hold::Registers; }

}  // namespace

bool isRowAccess(const Domain& domain, const Access& access) {
  const bool isRow = domain.moves(access, 0, domain.elementDims()) || domain.numel(0, domain.elementDims()) == 1;
  return isRow && domain.isInnerContiguous(access);
}

RowTiling chooseRowTiling(const Nest& nest, const Domain& domain, const ir::Target& target, const RowWish& wish) {
  const RowAccesses accesses = accessesOf(nest, domain);
  RowTiling tiling;
  chooseVectors(tiling, domain, accesses);
  tiling.rows = domain.numel(0, domain.elementDims());
  tiling.runs = domain.numel(domain.elementDims(), domain.innermost());
  const int64_t rowVectors = tiling.runs * tiling.runVectors;
  const int64_t rowBytes = rowVectors * tiling.lanes * accesses.heldBytes;
  const int64_t vectorsAtOnce = std::max<int64_t>(1, ceilDiv(accesses.heldBytes * tiling.lanes, widestVector));
  const int64_t registerBytes = tiling.hasRuns() ? registerRunBytes : registerRowBytes;
  const bool isOneSweep = accesses.heldBytes == 0;

  // The fewest CTAs a row whose share of it stays on chip; more while the device is not filled and each has enough to do.
  const auto share = [&] { return ceilDiv(rowBytes, tiling.ctas); };
  const int64_t most = tiling.hasRuns() ? std::min<int64_t>(mostCtas, tiling.runs) : mostCtas;
  const auto isEnough = [&] {
    const bool fits = isOneSweep || share() <= (tiling.hasRuns() ? registerBytes : sharedBytes);
    const bool fills = tiling.rows * tiling.ctas * 4 > target.processors * 3 || rowVectors / tiling.ctas < 1024;
    return fits && fills;
  };
  while (tiling.ctas * 2 <= most && !isEnough()) tiling.ctas *= 2;
  if (tiling.rows == 1 && isOneSweep && nest.elementStores.empty() && !isEnough()) {
    tiling.ctas = 1;
    tiling.alongRun = tiling.shares = static_cast<int>(std::min<int64_t>(2 * target.processors, ceilDiv(rowVectors, 2048)));
  }
  if (wish.parts && tiling.shares > 1)
    tiling.alongRun = tiling.shares = std::max(1, *wish.parts);
  else if (tiling.shares == 1)
    divide(tiling, wish.parts ? std::clamp<int64_t>(*wish.parts, 1, most) : tiling.ctas);

  const bool isWished = wish.parts || wish.steps || wish.hold;
  const int64_t runElements = tiling.runVectors * tiling.lanes;
  std::optional<RowTiling> cut;
  if (tiling.hasRuns() && !nest.elementStores.empty() && !isWished) {
    const int64_t runBytes = runElements * accesses.heldBytes;
    cut = isOneSweep ? streamed(tiling, runElements * accesses.readBytes, target)
                     : teamed(tiling, runBytes, wish.slice.value_or(fillingSlice(tiling, runBytes, target)), target);
  }
  if (cut && (isOneSweep || wish.slice)) return *cut;
  const bool isSmall = tiling.rows * rowVectors <= int64_t{2048} * target.processors;
  if (tiling.hasRuns() && !isOneSweep && !isWished && !isSmall && rowBytes <= clusterRowBytes)
    if (const std::optional<RowTiling> held = heldRuns(tiling, accesses.heldBytes, target))
      return cut && isBetter(*cut, *held, target) ? *cut : *held;
  layOut(tiling, wish.steps.value_or(chooseSteps(tiling, isOneSweep, vectorsAtOnce, target)));
  const int64_t held = tiling.vectorSteps * tiling.runSteps * vectorsAtOnce;
  const bool fitsShared = !isOneSweep && share() <= 2 * sharedBytes;
  if (held <= registerVectors + 2 && share() <= registerBytes * vectorsAtOnce)
    tiling.hold = Hold::Registers;
  else if (fitsShared)
    tiling.hold = Hold::Shared;
  if (wish.hold == Hold::Nowhere || (wish.hold == Hold::Shared && fitsShared && rowVectors / tiling.ctas >= 256) ||
      (wish.hold == Hold::Registers && held <= 2 * registerVectors))
    tiling.hold = *wish.hold;
  if (tiling.hold == Hold::Shared && !wish.steps) layOut(tiling, std::max<int64_t>(1, ceilDiv(rowVectors, tiling.ctas * 512)));
  if (tiling.parts() > 1 || tiling.hold == Hold::Shared)
    tiling.block = tiling.group;
  else if (wish.rowsPerCta)
    tiling.block = tiling.group * std::clamp(*wish.rowsPerCta, 1, mostThreads / tiling.group);
  else
    fillBlock(tiling, target);
  if (isHeld(tiling) && wish.isResident) {
    const int64_t commonBytes = tiling.vectorSteps * tiling.lanes * accesses.commonBytes;
    chooseResident(tiling, mostOfRows(tiling, held * 4, commonBytes / 4), target);
  }
  return cut && isBetter(*cut, tiling, target) ? *cut : tiling;
}

}  // namespace lowering
