#include "opbench/report/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "inputs/operator_name.h"
#include "opbench/select/size_class.h"

namespace opbench {
namespace {

using runtime::Kind;

/// The figures of one contender, gathered row by row.
struct Gathered {
  struct Ratios {
    Contender over;
    std::vector<double> values;
    int slower = 0;
  };
  std::vector<Ratios> leads;
  std::vector<double> overBest;
  std::vector<double> speedups, baseline, seconds, bandwidths, ofRoofline, cold, cached, generated, computing, launchBound,
      notLaunchBound, secondary, checkedTooWeakly;
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

/// The time of a call among others, as a model makes it: a cold one has the launch in it, which a model does not wait for.
const Timing& backToBack(const Outcome& outcome, const Run& run) {
  const bool isMain = mainMeasure(run) == runtime::Measure::BackToBack || !outcome.secondary;
  return isMain ? *outcome.timing : *outcome.secondary;
}

void gatherSpeedup(Gathered& gathered, const Row& row, const Outcome& outcome, const Run& run) {
  if (!outcome.speedup) return;
  const double seconds = outcome.timing->median;
  gathered.speedups.push_back(*outcome.speedup);
  gathered.seconds.push_back(seconds);
  gathered.baseline.push_back(row.outcomes.front().timing->median);
  if (!row.trivialSolution.empty()) {
    if (outcome.kind != Kind::View) gathered.checkedTooWeakly.push_back(*outcome.speedup);
    return;
  }
  if (outcome.kind == Kind::Generated) gathered.generated.push_back(*outcome.speedup);
  if (outcome.kind != Kind::View) {
    gathered.computing.push_back(*outcome.speedup);
    (row.isLaunchBound ? gathered.launchBound : gathered.notLaunchBound).push_back(*outcome.speedup);
    if (outcome.secondary) gathered.secondary.push_back(outcome.secondary->ratio.median);
  }
  const Timing& ofStream = backToBack(outcome, run);
  gathered.secondsOfCalls += static_cast<double>(row.count) * ofStream.median;
  gathered.baselineOfCalls += static_cast<double>(row.count) * ofStream.median * ofStream.ratio.median;
}

constexpr double noticeably = 0.95;  // times as fast is noticeably slower

/// Whether a time is slower than another one that it did not race pair by pair: beyond the intervals of both.
bool isSlower(const Timing& time, const Timing& other) {
  return other.median < noticeably * time.median && time.interval && other.interval && other.interval->high < time.interval->low;
}

/// Adds a contender's ratios over the other contenders of its row. The row's first contender is the baseline.
void gatherLeads(Gathered& gathered, const Row& row, const Outcome& outcome) {
  const bool isView =
      std::any_of(row.outcomes.begin(), row.outcomes.end(), [](const Outcome& o) { return o.kind == Kind::View; });
  if (!outcome.speedup || isView || !row.trivialSolution.empty() || row.outcomes.size() < 3) return;
  std::vector<double> others;
  for (const Outcome& other : row.outcomes) {
    if (&other == &outcome || !other.timing) continue;
    others.push_back(other.timing->median);
    if (&other == &row.outcomes.front()) continue;
    auto& all = gathered.leads;
    auto found = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.over == other.contender; });
    if (found == all.end()) found = all.insert(all.end(), {other.contender, {}, 0});
    found->values.push_back(other.timing->median / outcome.timing->median);
    found->slower += isSlower(*outcome.timing, *other.timing);
  }
  if (others.size() > 1) gathered.overBest.push_back(*std::min_element(others.begin(), others.end()) / outcome.timing->median);
}

void gather(Gathered& gathered, const Row& row, const Outcome& outcome, const Run& run) {
  if (outcome.bytesPerSecond) gathered.bandwidths.push_back(*outcome.bytesPerSecond);
  if (outcome.ofRoofline) gathered.ofRoofline.push_back(*outcome.ofRoofline);
  if (outcome.compileMs > 0) (outcome.cached ? gathered.cached : gathered.cold).push_back(outcome.compileMs);
  gatherSpeedup(gathered, row, outcome, run);
  gatherLeads(gathered, row, outcome);
}

std::optional<double> medianOf(const std::vector<double>& values) {
  return values.empty() ? std::nullopt : std::optional(median(values));
}

Mean meanOf(const std::vector<double>& values) {
  if (values.empty()) return {};
  return {geomean(values), static_cast<int>(values.size()), geomeanInterval(values)};
}

void conclude(ContenderSummary& contender, const Gathered& gathered) {
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
  contender.checkedTooWeakly = meanOf(gathered.checkedTooWeakly);
  for (const auto& [over, values, slower] : gathered.leads) contender.leads.push_back({over, meanOf(values), slower});
  contender.overBest = meanOf(gathered.overBest);
  if (gathered.secondsOfCalls > 0) {
    contender.byCalls = gathered.baselineOfCalls / gathered.secondsOfCalls;
    contender.savedSeconds = gathered.baselineOfCalls - gathered.secondsOfCalls;
  }
  contender.timed = static_cast<int>(gathered.speedups.size());
}

/// Whether the outcome is surely slower than the baseline, by more than 5 %. A single run, of which there is no interval, is not
/// sure.
bool isSlower(const Outcome& outcome, const Run& run) {
  return outcome.speedup && *outcome.speedup < noticeably && outcome.timing->ratio.interval && !isSame(outcome, run);
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
  contender.slower += isSlower(outcome, run);
  contender.atLaunchOverhead += outcome.speedup && row.isLaunchBound && outcome.kind != Kind::View;
  gather(gathered, row, outcome, run);
  contender.recovered += hasRecovered(row);
  contender.trivialSolutions += !row.trivialSolution.empty();
  if (outcome.isVarying()) ++(outcome.kind == Kind::Generated ? contender.nondeterministic : contender.atenNondeterministic);
}

Group groupOf(const std::string& name, const Rows& rows, const Run& run) {
  Group group{name, {}};
  for (const Row* row : rows) group.samples.push_back(row->index);
  std::sort(group.samples.begin(), group.samples.end());
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

/// Over the timings of a class of duration, or of all.
AADifferences differencesOf(const std::vector<Row>& rows, std::optional<Timing> Outcome::* measure, const std::string& what,
                            std::optional<size_t> durationClass) {
  std::vector<double> differences;
  for (const Row& row : rows)
    for (const Outcome& outcome : inputs::isNetwork(row.op) ? std::vector<Outcome>() : row.outcomes) {
      const auto& timing = outcome.*measure;
      if (outcome.kind != Kind::View && timing &&
          durationClassOf(timing->median) == durationClass.value_or(durationClassOf(timing->median)))
        differences.push_back(std::abs(timing->ratio.median - 1));
    }
  if (differences.empty()) return {what};
  return {what, median(differences), quantile(differences, 0.95), quantile(differences, 1), static_cast<int>(differences.size())};
}

void setAANoise(Summary& summary, const std::vector<Row>& rows, const Run& run) {
  const std::string main(measureName(run, mainMeasure(run)));
  std::vector<AADifferences>& all = summary.aaDifferences;
  all.push_back(differencesOf(rows, &Outcome::timing, main, std::nullopt));
  for (size_t i = 0; i < durationClasses; ++i) {
    all.push_back(differencesOf(rows, &Outcome::timing, fmt::format("{}, {}", main, durationName(i)), i));
    if (all.back().timings >= AANoise::leastTimings && all.back().p95 > 0) summary.aaNoise.shares[i] = all.back().p95;
  }
  all.push_back(differencesOf(rows, &Outcome::secondary, std::string(measureName(run, secondaryMeasure(run))), std::nullopt));
  std::erase_if(all, [](const AADifferences& differences) { return differences.timings == 0; });
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
  Rows calls, networks;
  for (const Row& row : rows) (inputs::isNetwork(row.op) ? networks : calls).push_back(&row);
  Summary summary;
  summary.operators = grouped(calls, run, [](const Row& row) { return std::string_view(row.op); });
  summary.families = grouped(calls, run, [](const Row& row) { return std::string_view(row.family); });
  Rows bySize = calls;
  std::stable_sort(bySize.begin(), bySize.end(), [](const Row* a, const Row* b) { return a->bytes() < b->bytes(); });
  summary.sizes =
      grouped(bySize, run, [](const Row& row) { return row.bytes() == 0 ? std::string_view() : sizeClassOf(row.bytes()); });
  summary.total = groupOf("", calls, run);
  summary.networks = groupOf("", networks, run);
  summary.covered = coveredBy(rows);
  for (const Row& row : rows)
    for (const auto& [stage, seconds] : row.stageSeconds) summary.stageSeconds[stage] += seconds;
  if (run.isAA) setAANoise(summary, rows, run);
  return summary;
}

int failures(const Counts& counts) {
  return counts.wrong + counts.impossible + counts.suspect + counts.errors + counts.crashes + counts.asserts + counts.timeouts;
}

int slowerThan(const Summary& summary, const Contender& contender, const Contender& other) {
  int slower = 0;
  for (const Group* group : {&summary.total, &summary.networks}) {
    const auto& all = group->contenders;
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const ContenderSummary& one) { return one.contender == contender; });
    if (found == all.end()) continue;
    const auto lead = std::find_if(found->leads.begin(), found->leads.end(), [&](const Lead& one) { return one.over == other; });
    if (other == all.front().contender)
      slower += found->slower;
    else if (lead != found->leads.end())
      slower += lead->slower;
  }
  return slower;
}

bool hasFailed(const Row& row) {
  Counts counts;
  for (const Outcome& outcome : row.outcomes) count(counts, outcome);
  return failures(counts) > 0;
}

bool hasFailed(const Summary& summary) {
  const auto failed = [](const ContenderSummary& contender) { return failures(contender.counts) > 0; };
  return std::any_of(summary.total.contenders.begin(), summary.total.contenders.end(), failed) ||
         std::any_of(summary.networks.contenders.begin(), summary.networks.contenders.end(), failed);
}

}  // namespace opbench
