#include "lowering/heuristics/row_layout.h"

#include "ir/index/ceil_div.h"

namespace lowering {
void divide(RowDraft& draft, int64_t ctas) {
  draft.alongRun = static_cast<int>(ceilDiv(ctas, std::max<int64_t>(1, draft.runs)));
  draft.ctas = static_cast<int>(ctas / draft.alongRun) * draft.alongRun;
}

void layOut(RowDraft& draft, int64_t steps, int threads) {
  const int64_t runs = std::max<int64_t>(1, ceilDiv(draft.runs, draft.runSplits()));
  const int64_t vectors = ceilDiv(draft.runVectors, draft.alongRun);
  const int64_t most = draft.hasRuns() ? std::min(threads, limits::segments::widestSegment) : threads;
  draft.vectorSteps = ceilDiv(vectors, most);
  if (runs == 1) draft.vectorSteps = std::max(draft.vectorSteps, std::min(steps, vectors));
  draft.columns = static_cast<int>(ceilDiv(vectors, draft.vectorSteps));
  draft.runSteps = std::clamp<int64_t>(steps / draft.vectorSteps, 1, runs);
  draft.runsAtOnce = static_cast<int>(std::min<int64_t>(ceilDiv(runs, draft.runSteps), threads / draft.columns));
  draft.runSteps = ceilDiv(runs, draft.runsAtOnce);
  const int64_t busy = int64_t{draft.columns} * draft.runsAtOnce;
  draft.group = static_cast<int>(draft.splits() == 1 ? groupOf(busy) : wholeWarps(busy));
}

void chooseResident(RowDraft& draft, int64_t most, const ir::Target& target) {
  const int64_t ctas = ceilDiv(draft.rows, draft.rowsPerCta()) * draft.ctas;
  const int64_t wanted =
      ceilDiv(draft.ctas > 1 && draft.hasRuns() ? limits::segments::clusterSlack.of(ctas) : ctas, target.processors);
  draft.resident =
      static_cast<int>(std::clamp<int64_t>(wanted, 1, std::clamp<int64_t>(most, 1, target.processorThreads / draft.block)));
}

}  // namespace lowering
