#include "opbench/compare/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "inputs/operator_name.h"

namespace opbench::compare {
namespace {

using results::Disposition;
using results::Record;
using results::Results;

/// Whether it is the code that does not change from build to build: eager's, or the first contender of a network.
bool isControl(const Record& record) { return inputs::isNetwork(record.op) ? record.isBaseline : record.contender == "eager"; }

constexpr double leastGap = 0.005;

using Key = std::tuple<std::string, std::string, std::string, std::string>;

/// The dtype of all records, or nothing where there are several.
std::string onlyDtype(const Results& results) {
  const std::string& first = results.records.front().dtype;
  const bool isOnly =
      std::all_of(results.records.begin(), results.records.end(), [&](const Record& r) { return r.dtype == first; });
  return isOnly ? first : "";
}

/// The records of both files side by side.
class Matching {
 public:
  Matching(const Results& base, const Results& candidate)
      : dtypeCounts_(onlyDtype(base).empty() || onlyDtype(candidate).empty()) {
    for (const Record& record : base.records) base_.emplace(keyOf(record), &record);
    for (const Record& record : candidate.records) candidate_.emplace(keyOf(record), &record);
  }

  const Record* inBase(const Record& record) const { return find(base_, keyOf(record)); }
  const Record* inCandidate(const Record& record) const { return find(candidate_, keyOf(record)); }

 private:
  using Records = std::map<Key, const Record*>;

  Key keyOf(const Record& record) const { return {record.op, record.sample, dtypeCounts_ ? record.dtype : "", record.contender}; }
  static const Record* find(const Records& records, const Key& key) {
    const auto found = records.find(key);
    return found == records.end() ? nullptr : found->second;
  }

  bool dtypeCounts_;
  Records base_, candidate_;
};

bool isMeasured(const Record* record) { return record && record->disposition == Disposition::Measured; }

/// The interval of the median; of files that have none the 20th to 80th percentile of the runs, which is wider.
Interval intervalOf(const Record& record) {
  if (record.medianInterval) return *record.medianInterval;
  return record.percentiles.value_or(Interval{*record.median, *record.median});
}

Figure timeOf(const Record& record) { return figureOf(*record.median, intervalOf(record)); }

std::optional<Pair> cyclesOf(const Record& base, const Record& candidate, const Pair& time) {
  if (!base.clockMhz || !candidate.clockMhz || *base.clockMhz <= 0 || *candidate.clockMhz <= 0) return std::nullopt;
  return Pair{scaled(time.base, std::log(*base.clockMhz)), scaled(time.candidate, std::log(*candidate.clockMhz)), time.least,
              time.scatter};
}

/// The time over the control's, as paired runs found it.
std::optional<Figure> pairedOf(const Record& record) {
  if (record.speedup.value_or(0) <= 0 || (record.speedupInterval && record.speedupInterval->low <= 0)) return std::nullopt;
  return inverse(figureOf(*record.speedup, record.speedupInterval.value_or(Interval{*record.speedup, *record.speedup})));
}

std::optional<Figure> secondaryOf(const Record& record) {
  if (!record.secondary || !record.secondaryInterval) return std::nullopt;
  return figureOf(*record.secondary, *record.secondaryInterval);
}

/// A figure's shift from the baseline to the candidate, and where it stands; nothing unless both have it.
template <typename Read>
std::optional<Control::Point> pointOf(const Record& base, const Record& candidate, const Read& read) {
  const auto before = read(base), after = read(candidate);
  if (!before || !after) return std::nullopt;
  return Control::Point{static_cast<double>(candidate.index), std::log(*base.median), after->centre - before->centre};
}

/// The drift and scatter that the figures of the control, or of all other contenders, show.
template <typename Read>
Control controlOf(const Results& candidate, const Matching& matching, bool ofControl, const Read& read) {
  std::vector<Control::Point> points;
  for (const Record& record : candidate.records) {
    const Record* base = matching.inBase(record);
    if (isControl(record) != ofControl || !isMeasured(&record) || !isMeasured(base)) continue;
    if (const auto point = pointOf(*base, record, read)) points.push_back(*point);
  }
  return Control(std::move(points));
}

/// The figures that scatter without a change of the code: eager's times, its secondary times, and the others' ratios to it.
struct Controls {
  Control time, secondary, ratios;
};

Controls controlsOf(const Results& candidate, const Matching& matching) {
  return {controlOf(candidate, matching, true, [](const Record& r) { return std::optional(timeOf(r)); }),
          controlOf(candidate, matching, true, secondaryOf), controlOf(candidate, matching, false, pairedOf)};
}

std::optional<Pair> secondaryPair(const Record& base, const Record& candidate, const Control& control) {
  const auto before = secondaryOf(base), after = secondaryOf(candidate);
  if (!before || !after || control.samples() < Control::least) return std::nullopt;
  return Pair{*before, scaled(*after, -control.drift(static_cast<double>(candidate.index))), std::log1p(leastGap),
              control.scatter(std::log(*base.median))};
}

Evidence evidenceOf(const Record& base, const Record& candidate, const Controls& controls) {
  const double duration = std::log(*base.median), scatter = controls.time.scatter(duration);
  const double recorded = std::log1p(std::max({leastGap, base.aaNoise.value_or(0), candidate.aaNoise.value_or(0)}));
  Evidence evidence;
  evidence.time = {timeOf(base), timeOf(candidate), recorded, scatter};
  evidence.cycles = cyclesOf(base, candidate, evidence.time);
  evidence.isCoarse = !base.medianInterval || !candidate.medianInterval;
  evidence.isDisturbed = base.isDisturbed || candidate.isDisturbed;
  evidence.isFew = base.device == "cpu" && controls.time.samples() < Control::least;
  if (isControl(base)) return evidence;
  const auto order = static_cast<double>(candidate.index);
  evidence.drift = controls.time.drift(order);
  evidence.secondary = secondaryPair(base, candidate, controls.secondary);
  const auto before = pairedOf(base), after = pairedOf(candidate);
  if (before && after) evidence.paired = Pair{*before, *after, recorded, std::min(scatter, controls.ratios.scatter(duration))};
  return evidence;
}

Verdict verdictOf(Change change) {
  switch (change) {
    case Change::Faster: return Verdict::Fast;
    case Change::Slower: return Verdict::Slow;
    case Change::Same: return Verdict::Same;
    case Change::Ambiguous: return Verdict::Ambiguous;
  }
  return Verdict::Ambiguous;
}

/// The verdict where not both are measured; nothing where neither file says anything of the sample.
std::optional<Verdict> verdictOf(Disposition before, Disposition after) {
  const auto isBad = [](Disposition disposition) {
    return disposition == Disposition::Wrong || disposition == Disposition::Failed || disposition == Disposition::Impossible;
  };
  if (isBad(before) && isBad(after)) return Verdict::Unfixed;
  switch (after) {
    case Disposition::Measured: return isBad(before) ? Verdict::Fixed : Verdict::New;
    case Disposition::Wrong: return Verdict::Wrong;
    case Disposition::Failed: return Verdict::Crash;
    case Disposition::Impossible: return Verdict::Impossible;
    case Disposition::Unmeasured: break;
  }
  return before == Disposition::Unmeasured ? std::nullopt : std::optional(Verdict::Gone);
}

/// Fills Comparison::rows.
class Comparing {
 public:
  Comparing(Comparison& comparison, const Matching& matching, const Controls& controls, bool controlIsAlone)
      : comparison_(comparison), matching_(matching), controls_(controls), controlIsAlone_(controlIsAlone) {}

  void run() {
    for (const Record& record : comparison_.candidate.records) add(matching_.inBase(record), &record);
    for (const Record& record : comparison_.base.records)
      if (!matching_.inCandidate(record)) add(&record, nullptr);
  }

 private:
  void add(const Record* base, const Record* candidate) {
    Compared row;
    row.base = base;
    row.candidate = candidate;
    if (isControl(row.any()) && !controlIsAlone_) return;
    if (isMeasured(base) && isMeasured(candidate)) {
      judgeTimes(row);
    } else {
      const auto disposition = [](const Record* record) { return record ? record->disposition : Disposition::Unmeasured; };
      const auto verdict = verdictOf(disposition(base), disposition(candidate));
      if (!verdict) return;
      row.verdict = *verdict;
    }
    comparison_.rows.push_back(row);
  }

  void judgeTimes(Compared& row) const {
    const Evidence evidence = evidenceOf(*row.base, *row.candidate, controls_);
    const Judgement judgement = judge(evidence);
    row.verdict = verdictOf(judgement.change);
    row.ambiguity = judgement.ambiguity;
    row.ratio = *row.candidate->median / *row.base->median;
    row.interval = ratioInterval(evidence.time);
    row.gap = std::expm1(evidence.paired.value_or(evidence.time).gap());
  }

  Comparison& comparison_;
  const Matching& matching_;
  const Controls& controls_;
  bool controlIsAlone_;
};

bool isControlAlone(const Results& results) { return std::all_of(results.records.begin(), results.records.end(), isControl); }

/// Whether any measured record lacks what `has` looks for.
template <typename Has>
bool anyLacks(const Results& results, const Has& has) {
  return std::any_of(results.records.begin(), results.records.end(),
                     [&](const Record& record) { return isMeasured(&record) && !has(record); });
}

/// Samples that were measured, though not when they were raced first.
size_t retriedSamples(const Results& results) {
  std::set<std::pair<std::string, std::string>> samples;
  for (const Record& record : results.records)
    if (!record.retried.empty() && isMeasured(&record)) samples.emplace(record.op, record.sample);
  return samples.size();
}

void addNotes(Comparison& comparison) {
  comparison.notes = environmentNotes(comparison.base, comparison.candidate);
  for (const Results* results : {&comparison.base, &comparison.candidate}) {
    if (anyLacks(*results, [](const Record& r) { return r.medianInterval.has_value(); }))
      comparison.notes.push_back(results->file +
                                 " has no intervals of its medians; the wider 20th to 80th percentile of the runs "
                                 "is used");
    if (anyLacks(*results, [](const Record& r) { return r.aaNoise.has_value(); }))
      comparison.notes.push_back(results->file + " has no A/A noise; run --aa once on the device to measure it");
    if (anyLacks(*results, [](const Record& r) { return r.device == "cpu" || r.clockMhz; }))
      comparison.notes.push_back(results->file + " has no clocks; times are not confirmed in cycles");
    if (const size_t count = retriedSamples(*results))
      comparison.notes.push_back(fmt::format("{} has {} sample{} that failed and {} raced once more", results->file, count,
                                             count == 1 ? "" : "s", count == 1 ? "was" : "were"));
  }
  if (comparison.control.samples() < Control::least) {
    const bool isOfCpu = !anyLacks(comparison.base, [](const Record& r) { return r.device == "cpu"; });
    comparison.notes.push_back(
        "fewer than 9 samples have eager to compare with in both files: how far the machine drifted and the same code scatters "
        "is unknown" +
        std::string(isOfCpu ? "; changes of less than 20% are ambiguous" : ""));
  }
}

}  // namespace

std::string_view name(Verdict verdict) {
  switch (verdict) {
    case Verdict::Fast: return "FAST";
    case Verdict::Slow: return "SLOW";
    case Verdict::Same: return "same";
    case Verdict::Ambiguous: return "ambiguous";
    case Verdict::New: return "new";
    case Verdict::Gone: return "gone";
    case Verdict::Wrong: return "WRONG";
    case Verdict::Crash: return "CRASH";
    case Verdict::Impossible: return "IMPOSSIBLE";
    case Verdict::Fixed: return "fixed";
    case Verdict::Unfixed: return "unfixed";
  }
  return "";
}

Comparison compare(Results base, Results candidate) {
  Comparison comparison{std::move(base), std::move(candidate), {}, {}, {}};
  const Matching matching(comparison.base, comparison.candidate);
  const bool controlIsAlone = isControlAlone(comparison.base) && isControlAlone(comparison.candidate);
  const Controls controls = controlIsAlone ? Controls{} : controlsOf(comparison.candidate, matching);
  Comparing(comparison, matching, controls, controlIsAlone).run();
  comparison.control = controls.time;
  addNotes(comparison);
  return comparison;
}

}  // namespace opbench::compare
