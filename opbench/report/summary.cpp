#include "opbench/report/summary.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "inputs/operator_name.h"
#include "opbench/select/size_class.h"

namespace opbench {
namespace {

using runtime::Kind;

/// The figures of one contender, gathered row by row.
struct Gathered {
  std::vector<double> speedups, baseline, seconds, bandwidths, ofRoofline, cold, cached, generated, computing, launchBound,
      notLaunchBound, secondary;
  double baselineOfCalls = 0, secondsOfCalls = 0;
};

void count(Counts& counts, const Outcome& outcome) {
  ++counts.samples;
  switch (outcome.status) {
    case Status::Wrong: ++counts.wrong; return;
    case Status::Impossible: ++counts.impossible; return;
    case Status::Suspect: ++counts.suspect; return;
    case Status::Unsupported: ++counts.unsupported; return;
    case Status::Error: ++counts.errors; return;
    case Status::Skipped: ++counts.skipped; return;
    case Status::Crash: ++counts.crashes; return;
    case Status::Assert: ++counts.asserts; return;
    case Status::Timeout: ++counts.timeouts; return;
    case Status::Oom: ++counts.ooms; return;
    case Status::Ok: break;
  }
  switch (outcome.kind) {
    case Kind::Generated: ++counts.generated; return;
    case Kind::Fallback: ++counts.fallbacks; return;
    case Kind::View: ++counts.views; return;
  }
}

void gatherSpeedup(Gathered& gathered, const Row& row, const Outcome& outcome) {
  if (!outcome.speedup) return;
  const double seconds = outcome.timing->median;
  gathered.speedups.push_back(*outcome.speedup);
  gathered.seconds.push_back(seconds);
  gathered.baseline.push_back(row.outcomes.front().timing->median);
  if (outcome.kind == Kind::Generated) gathered.generated.push_back(*outcome.speedup);
  if (outcome.kind != Kind::View) {
    gathered.computing.push_back(*outcome.speedup);
    (row.isLaunchBound ? gathered.launchBound : gathered.notLaunchBound).push_back(*outcome.speedup);
    if (outcome.secondary) gathered.secondary.push_back(outcome.secondary->ratio.median);
  }
  gathered.secondsOfCalls += static_cast<double>(row.count) * seconds;
  gathered.baselineOfCalls += static_cast<double>(row.count) * seconds * *outcome.speedup;
}

void gather(Gathered& gathered, const Row& row, const Outcome& outcome) {
  if (outcome.bytesPerSecond) gathered.bandwidths.push_back(*outcome.bytesPerSecond);
  if (outcome.ofRoofline) gathered.ofRoofline.push_back(*outcome.ofRoofline);
  if (outcome.kernels > 0) (outcome.cached ? gathered.cached : gathered.cold).push_back(outcome.compileMs);
  gatherSpeedup(gathered, row, outcome);
}

std::optional<double> medianOf(const std::vector<double>& values) {
  return values.empty() ? std::nullopt : std::optional(median(values));
}

Mean meanOf(const std::vector<double>& values) {
  return values.empty() ? Mean{} : Mean{geomean(values), static_cast<int>(values.size())};
}

void conclude(ContenderSummary& contender, const Gathered& gathered) {
  constexpr double noticeablySlower = 0.95;
  if (!gathered.speedups.empty()) contender.speedups = quantiles(gathered.speedups);
  contender.baselineSeconds = medianOf(gathered.baseline);
  contender.medianSeconds = medianOf(gathered.seconds);
  contender.bytesPerSecond = medianOf(gathered.bandwidths);
  contender.ofRoofline = medianOf(gathered.ofRoofline);
  contender.coldMs = medianOf(gathered.cold);
  contender.cachedMs = medianOf(gathered.cached);
  contender.generated = meanOf(gathered.generated);
  contender.computing = meanOf(gathered.computing);
  contender.launchBound = meanOf(gathered.launchBound);
  contender.notLaunchBound = meanOf(gathered.notLaunchBound);
  contender.secondary = meanOf(gathered.secondary);
  if (gathered.secondsOfCalls > 0) {
    contender.byCalls = gathered.baselineOfCalls / gathered.secondsOfCalls;
    contender.savedSeconds = gathered.baselineOfCalls - gathered.secondsOfCalls;
  }
  contender.timed = static_cast<int>(gathered.speedups.size());
  contender.slower = static_cast<int>(
      std::count_if(gathered.speedups.begin(), gathered.speedups.end(), [](double s) { return s < noticeablySlower; }));
}

void countMeasurement(ContenderSummary& contender, const Row& row, const Outcome& outcome) {
  if (!row.measurement || !outcome.speedup) return;
  contender.imprecise += row.measurement->stopped == Stop::MaxTime;
  contender.throttledRuns += row.measurement->dropped;
  contender.disturbed += isDisturbed(row);
  contender.shared += isShared(row);
  contender.capped += isCapped(row);
}

using Rows = std::vector<const Row*>;

/// The contenders of rows, the run's first.
std::vector<Contender> contendersOf(const Rows& rows, const Run& run) {
  std::vector<Contender> contenders = run.contenders;
  for (const Row* row : rows)
    for (const Outcome& outcome : row->outcomes)
      if (std::find(contenders.begin(), contenders.end(), outcome.contender) == contenders.end())
        contenders.push_back(outcome.contender);
  return contenders;
}

void add(ContenderSummary& contender, Gathered& gathered, const Row& row, const Outcome& outcome, const Run& run) {
  count(contender.counts, outcome);
  countMeasurement(contender, row, outcome);
  contender.same += isSame(outcome, run);
  gather(gathered, row, outcome);
  contender.recovered += hasRecovered(row);
  contender.trivialSolutions += !row.trivialSolution.empty();
  if (outcome.isVarying()) ++(outcome.kind == Kind::Generated ? contender.nondeterministic : contender.atenNondeterministic);
}

Group groupOf(const std::string& name, const Rows& rows, const Run& run) {
  Group group{name, {}};
  for (const Contender& one : contendersOf(rows, run)) {
    ContenderSummary contender;
    contender.contender = one;
    Gathered gathered;
    for (const Row* row : rows)
      for (const Outcome& outcome : row->outcomes)
        if (outcome.contender == one) add(contender, gathered, *row, outcome, run);
    conclude(contender, gathered);
    group.contenders.push_back(contender);
  }
  return group;
}

/// The rows in groups by a name that a function gives each, in the order in which the names first occur; unnamed ones in none.
template <typename F>
std::vector<Group> grouped(const Rows& rows, const Run& run, const F& nameOf) {
  std::vector<std::pair<std::string, Rows>> groups;
  for (const Row* row : rows) {
    const std::string name(nameOf(*row));
    if (name.empty()) continue;
    auto found = std::find_if(groups.begin(), groups.end(), [&](const auto& group) { return group.first == name; });
    if (found == groups.end()) found = groups.insert(groups.end(), {name, {}});
    found->second.push_back(row);
  }
  std::vector<Group> result;
  for (const auto& [name, members] : groups) result.push_back(groupOf(name, members, run));
  return result;
}

/// Over the timings whose median is at least `least` and less than `below` seconds.
AANoise aaNoiseOf(const std::vector<Row>& rows, std::optional<Timing> Outcome::* measure, const std::string& what, double least,
                  double below) {
  std::vector<double> differences;
  for (const Row& row : rows)
    for (const Outcome& outcome : inputs::isNetwork(row.op) ? std::vector<Outcome>() : row.outcomes) {
      const auto& timing = outcome.*measure;
      if (outcome.kind != Kind::View && timing && timing->median >= least && timing->median < below)
        differences.push_back(std::abs(timing->ratio.median - 1));
    }
  if (differences.empty()) return {what};
  return {what, median(differences), quantile(differences, 0.95), quantile(differences, 1), static_cast<int>(differences.size())};
}

std::vector<AANoise> aaNoisesOf(const std::vector<Row>& rows, const Run& run) {
  constexpr double shortTime = 1e-5;
  const double always = std::numeric_limits<double>::infinity();
  const std::string main(measureName(run, mainMeasure(run)));
  std::vector<AANoise> aaNoises{
      aaNoiseOf(rows, &Outcome::timing, main, 0, always), aaNoiseOf(rows, &Outcome::timing, main + ", below 10 us", 0, shortTime),
      aaNoiseOf(rows, &Outcome::timing, main + ", 10 us and more", shortTime, always),
      aaNoiseOf(rows, &Outcome::secondary, std::string(measureName(run, secondaryMeasure(run))), 0, always)};
  std::erase_if(aaNoises, [](const AANoise& noise) { return noise.timings == 0; });
  return aaNoises;
}

Recorded coveredBy(const std::vector<Row>& rows) {
  Recorded covered;
  for (const Row& row : rows) {
    if (row.outcomes.empty() || row.outcomes.front().status == Status::Skipped) continue;
    ++covered.samples;
    covered.calls += row.count;
  }
  return covered;
}

}  // namespace

Summary summarize(const std::vector<Row>& rows, const Run& run) {
  Rows all;
  for (const Row& row : rows) all.push_back(&row);
  Rows calls = all;
  std::erase_if(calls, [](const Row* row) { return inputs::isNetwork(row->op); });
  Summary summary;
  summary.operators = grouped(calls, run, [](const Row& row) { return std::string_view(row.op); });
  summary.families = grouped(calls, run, [](const Row& row) { return std::string_view(row.family); });
  Rows bySize = calls;
  std::stable_sort(bySize.begin(), bySize.end(), [](const Row* a, const Row* b) { return a->bytes() < b->bytes(); });
  summary.sizes =
      grouped(bySize, run, [](const Row& row) { return row.bytes() == 0 ? std::string_view() : sizeClassOf(row.bytes()); });
  summary.total = groupOf("", all, run);
  summary.covered = coveredBy(rows);
  if (run.isAA) summary.aaNoises = aaNoisesOf(rows, run);
  return summary;
}

int failures(const Counts& counts) {
  return counts.wrong + counts.impossible + counts.suspect + counts.errors + counts.crashes + counts.asserts + counts.timeouts;
}

bool hasFailed(const Row& row) {
  Counts counts;
  for (const Outcome& outcome : row.outcomes) count(counts, outcome);
  return failures(counts) > 0;
}

bool hasFailed(const Summary& summary) {
  return std::any_of(summary.total.contenders.begin(), summary.total.contenders.end(),
                     [](const ContenderSummary& contender) { return failures(contender.counts) > 0; });
}

}  // namespace opbench
