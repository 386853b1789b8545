#include "opbench/compare/summary.h"

#include <map>
#include <numeric>

#include "opbench/results/statistics.h"

namespace opbench::compare {
namespace {

Tally tallyOf(const std::string& op, const std::vector<const Compared*>& rows) {
  Tally tally;
  tally.op = op;
  std::vector<double> ratios;
  double before = 0, after = 0;
  for (const Compared* row : rows) {
    ++tally.counts[static_cast<size_t>(row->verdict)];
    if (row->verdict == Verdict::Ambiguous) ++tally.ambiguities[row->ambiguity];
    if (!row->ratio) continue;
    ratios.push_back(*row->ratio);
    tally.launchBound += row->base->isLaunchBound && row->candidate->isLaunchBound;
    const auto calls = static_cast<double>(row->candidate->count);
    before += calls * *row->base->median;
    after += calls * *row->candidate->median;
  }
  if (!ratios.empty()) tally.ratio = geomean(ratios);
  if (before > 0) tally.ratioByTime = after / before;
  return tally;
}

}  // namespace

int Tally::rows() const { return std::accumulate(counts.begin(), counts.end(), 0); }

std::vector<Tally> tallies(const Comparison& comparison) {
  std::map<std::string, std::vector<const Compared*>> byOperator;
  for (const Compared& row : comparison.rows) byOperator[row.any().op].push_back(&row);
  std::vector<Tally> result;
  for (const auto& [op, rows] : byOperator) result.push_back(tallyOf(op, rows));
  return result;
}

Tally total(const Comparison& comparison) {
  std::vector<const Compared*> rows;
  for (const Compared& row : comparison.rows) rows.push_back(&row);
  return tallyOf("", rows);
}

}  // namespace opbench::compare
