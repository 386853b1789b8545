#include "lowering/heuristics/row_layout.h"

#include "ir/index/ceil_div.h"

namespace lowering {
void divide(RowTiling& tiling, int64_t ctas) {
  tiling.alongRun = static_cast<int>(ceilDiv(ctas, std::max<int64_t>(1, tiling.runs)));
  tiling.ctas = static_cast<int>(ctas / tiling.alongRun) * tiling.alongRun;
}

void layOut(RowTiling& tiling, int64_t steps, int threads) {
  const int64_t runs = std::max<int64_t>(1, ceilDiv(tiling.runs, tiling.runSplits()));
  const int64_t vectors = ceilDiv(tiling.runVectors, tiling.alongRun);
  const int64_t most = tiling.hasRuns() ? std::min(threads, limits::segments::widestSegment) : threads;
  tiling.vectorSteps = ceilDiv(vectors, most);
  if (runs == 1) tiling.vectorSteps = std::max(tiling.vectorSteps, std::min(steps, vectors));
  tiling.columns = static_cast<int>(ceilDiv(vectors, tiling.vectorSteps));
  tiling.runSteps = std::clamp<int64_t>(steps / tiling.vectorSteps, 1, runs);
  tiling.runsAtOnce = static_cast<int>(std::min<int64_t>(ceilDiv(runs, tiling.runSteps), threads / tiling.columns));
  tiling.runSteps = ceilDiv(runs, tiling.runsAtOnce);
  const int64_t busy = int64_t{tiling.columns} * tiling.runsAtOnce;
  tiling.group = static_cast<int>(tiling.splits() == 1 ? groupOf(busy) : wholeWarps(busy));
}

void chooseResident(RowTiling& tiling, int64_t most, const ir::Target& target) {
  const int64_t ctas = ceilDiv(tiling.rows, tiling.rowsPerCta()) * tiling.ctas;
  const int64_t wanted =
      ceilDiv(tiling.ctas > 1 && tiling.hasRuns() ? limits::segments::clusterSlack.of(ctas) : ctas, target.processors);
  tiling.resident =
      static_cast<int>(std::clamp<int64_t>(wanted, 1, std::clamp<int64_t>(most, 1, target.processorThreads / tiling.block)));
}

}  // namespace lowering
