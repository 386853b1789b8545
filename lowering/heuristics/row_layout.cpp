#include "lowering/heuristics/row_layout.h"

#include "ir/index/ceil_div.h"

namespace lowering {
void divide(RowMapping& mapping, int64_t ctas) {
  mapping.alongRun = static_cast<int>(ceilDiv(ctas, std::max<int64_t>(1, mapping.runs)));
  mapping.ctas = static_cast<int>(ctas / mapping.alongRun) * mapping.alongRun;
}

void layOut(RowMapping& mapping, int64_t steps, int threads) {
  const int64_t runs = std::max<int64_t>(1, ceilDiv(mapping.runs, mapping.runSplits()));
  const int64_t vectors = ceilDiv(mapping.runVectors, mapping.alongRun);
  const int64_t most = mapping.hasRuns() ? std::min(threads, limits::segments::widestSegment) : threads;
  mapping.vectorSteps = ceilDiv(vectors, most);
  if (runs == 1) mapping.vectorSteps = std::max(mapping.vectorSteps, std::min(steps, vectors));
  mapping.columns = static_cast<int>(ceilDiv(vectors, mapping.vectorSteps));
  mapping.runSteps = std::clamp<int64_t>(steps / mapping.vectorSteps, 1, runs);
  mapping.runsAtOnce = static_cast<int>(std::min<int64_t>(ceilDiv(runs, mapping.runSteps), threads / mapping.columns));
  mapping.runSteps = ceilDiv(runs, mapping.runsAtOnce);
  const int64_t busy = int64_t{mapping.columns} * mapping.runsAtOnce;
  mapping.group = static_cast<int>(mapping.splits() == 1 ? groupOf(busy) : wholeWarps(busy));
}

void chooseResident(RowMapping& mapping, int64_t most, const ir::Target& target) {
  const int64_t ctas = ceilDiv(mapping.rows, mapping.rowsPerCta()) * mapping.ctas;
  const int64_t wanted =
      ceilDiv(mapping.ctas > 1 && mapping.hasRuns() ? limits::segments::clusterSlack.of(ctas) : ctas, target.processors);
  mapping.resident =
      static_cast<int>(std::clamp<int64_t>(wanted, 1, std::clamp<int64_t>(most, 1, target.processorThreads / mapping.block)));
}

}  // namespace lowering
