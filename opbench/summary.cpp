#include "opbench/summary.h"

#include <algorithm>

namespace opbench {
namespace {

using runtime::Kind;

/// The figures of one contender, gathered row by row.
struct Gathered {
  std::vector<double> speedups, baseline, seconds, bandwidths, ofCopy, cold, cached, generated, computing;
  double baselineOfCalls = 0, secondsOfCalls = 0;
};

void count(Counts& counts, const Outcome& outcome) {
  ++counts.samples;
  switch (outcome.status) {
    case Status::Wrong: ++counts.wrong; return;
    case Status::Unsupported: ++counts.unsupported; return;
    case Status::Error: ++counts.errors; return;
    case Status::Skipped: ++counts.skipped; return;
    case Status::Ok: break;
  }
  switch (outcome.kind) {
    case Kind::Generated: ++counts.generated; return;
    case Kind::Extern: ++counts.externs; return;
    case Kind::View: ++counts.views; return;
  }
}

void gatherSpeedup(Gathered& gathered, const Row& row, const Outcome& outcome) {
  if (!outcome.speedup) return;
  const double seconds = outcome.timing->median;
  gathered.speedups.push_back(*outcome.speedup);
  gathered.seconds.push_back(seconds);
  gathered.baseline.push_back(seconds * *outcome.speedup);
  if (outcome.kind == Kind::Generated) gathered.generated.push_back(*outcome.speedup);
  if (outcome.kind != Kind::View) gathered.computing.push_back(*outcome.speedup);
  gathered.secondsOfCalls += static_cast<double>(row.count) * seconds;
  gathered.baselineOfCalls += static_cast<double>(row.count) * seconds * *outcome.speedup;
}

void gather(Gathered& gathered, const Row& row, const Outcome& outcome) {
  if (outcome.bytesPerSecond) gathered.bandwidths.push_back(*outcome.bytesPerSecond);
  if (outcome.ofCopy) gathered.ofCopy.push_back(*outcome.ofCopy);
  if (outcome.kernels > 0) (outcome.cached ? gathered.cached : gathered.cold).push_back(outcome.compileMs);
  gatherSpeedup(gathered, row, outcome);
}

std::optional<double> medianOf(const std::vector<double>& values) {
  return values.empty() ? std::nullopt : std::optional(median(values));
}

Mean meanOf(const std::vector<double>& values) {
  return values.empty() ? Mean{} : Mean{geomean(values), static_cast<int>(values.size())};
}

void conclude(Standing& standing, const Gathered& gathered) {
  constexpr double noticeablySlower = 0.95;
  if (!gathered.speedups.empty()) standing.speedups = quantiles(gathered.speedups);
  standing.baselineSeconds = medianOf(gathered.baseline);
  standing.medianSeconds = medianOf(gathered.seconds);
  standing.bytesPerSecond = medianOf(gathered.bandwidths);
  standing.ofCopy = medianOf(gathered.ofCopy);
  standing.coldMs = medianOf(gathered.cold);
  standing.cachedMs = medianOf(gathered.cached);
  standing.generated = meanOf(gathered.generated);
  standing.computing = meanOf(gathered.computing);
  if (gathered.secondsOfCalls > 0) standing.byCalls = gathered.baselineOfCalls / gathered.secondsOfCalls;
  standing.timed = static_cast<int>(gathered.speedups.size());
  standing.slower = static_cast<int>(
      std::count_if(gathered.speedups.begin(), gathered.speedups.end(), [](double s) { return s < noticeablySlower; }));
}

Group groupOf(const std::string& op, const std::vector<const Row*>& rows, const std::vector<Contender>& contenders) {
  Group group{op, {}};
  for (size_t i = 0; i < contenders.size(); ++i) {
    Standing standing;
    standing.contender = contenders[i];
    Gathered gathered;
    for (const Row* row : rows) {
      count(standing.counts, row->outcomes[i]);
      gather(gathered, *row, row->outcomes[i]);
    }
    conclude(standing, gathered);
    group.standings.push_back(standing);
  }
  return group;
}

}  // namespace

Summary summarize(const std::vector<Row>& rows, const std::vector<Contender>& contenders) {
  Summary summary;
  std::vector<const Row*> all, ofOperator;
  for (const Row& row : rows) {
    if (!ofOperator.empty() && ofOperator.back()->op != row.op) {
      summary.operators.push_back(groupOf(ofOperator.back()->op, ofOperator, contenders));
      ofOperator.clear();
    }
    ofOperator.push_back(&row);
    all.push_back(&row);
  }
  if (!ofOperator.empty()) summary.operators.push_back(groupOf(ofOperator.back()->op, ofOperator, contenders));
  summary.total = groupOf("", all, contenders);
  return summary;
}

bool hasFailed(const Summary& summary) {
  return std::any_of(summary.total.standings.begin(), summary.total.standings.end(),
                     [](const Standing& standing) { return standing.counts.wrong > 0 || standing.counts.errors > 0; });
}

}  // namespace opbench
