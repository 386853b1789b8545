#include "lowering/heuristics/row_layout.h"

#include "ir/index/ceil_div.h"

namespace lowering {
void divide(RowSchedule& schedule, int64_t ctas) {
  schedule.alongRun = static_cast<int>(ceilDiv(ctas, std::max<int64_t>(1, schedule.runs)));
  schedule.ctas = static_cast<int>(ctas / schedule.alongRun) * schedule.alongRun;
}

void layOut(RowSchedule& schedule, int64_t steps, int threads) {
  const int64_t runs = std::max<int64_t>(1, ceilDiv(schedule.runs, schedule.runSplits()));
  const int64_t vectors = ceilDiv(schedule.runVectors, schedule.alongRun);
  const int64_t most = schedule.hasRuns() ? std::min(threads, limits::segments::widestSegment) : threads;
  schedule.vectorSteps = ceilDiv(vectors, most);
  if (runs == 1) schedule.vectorSteps = std::max(schedule.vectorSteps, std::min(steps, vectors));
  schedule.columns = static_cast<int>(ceilDiv(vectors, schedule.vectorSteps));
  schedule.runSteps = std::clamp<int64_t>(steps / schedule.vectorSteps, 1, runs);
  schedule.runsAtOnce = static_cast<int>(std::min<int64_t>(ceilDiv(runs, schedule.runSteps), threads / schedule.columns));
  schedule.runSteps = ceilDiv(runs, schedule.runsAtOnce);
  const int64_t busy = int64_t{schedule.columns} * schedule.runsAtOnce;
  schedule.group = static_cast<int>(schedule.splits() == 1 ? groupOf(busy) : wholeWarps(busy));
}

void chooseResident(RowSchedule& schedule, int64_t most, const ir::Target& target) {
  const int64_t ctas = ceilDiv(schedule.rows, schedule.rowsPerCta()) * schedule.ctas;
  const int64_t wanted =
      ceilDiv(schedule.ctas > 1 && schedule.hasRuns() ? limits::segments::clusterSlack.of(ctas) : ctas, target.processors);
  schedule.resident =
      static_cast<int>(std::clamp<int64_t>(wanted, 1, std::clamp<int64_t>(most, 1, target.processorThreads / schedule.block)));
}

}  // namespace lowering
