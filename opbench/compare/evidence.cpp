#include "opbench/compare/evidence.h"

#include <algorithm>
#include <cmath>

#include "inputs/operator_name.h"

namespace opbench::compare {
namespace {

using results::Disposition;
using results::Record;
using results::Results;

/// The dtype of all records, or nothing where there are several.
std::string onlyDtype(const Results& results) {
  const std::string& first = results.records.front().dtype;
  const bool isOnly =
      std::all_of(results.records.begin(), results.records.end(), [&](const Record& r) { return r.dtype == first; });
  return isOnly ? first : "";
}

/// The interval of the median; of files of programs that found none the 20th to 80th percentile of the runs, which is wider.
Interval intervalOf(const Record& record) {
  if (record.medianInterval) return *record.medianInterval;
  return record.percentiles.value_or(Interval{*record.median, *record.median});
}

/// Whether there are too few runs for an interval.
bool isUnknown(const Record& record) { return !record.medianInterval && record.runs > 0 && record.runs < leastForInterval; }

Figure timeOf(const Record& record) { return figureOf(*record.median, intervalOf(record)); }

std::optional<Pair> cyclesOf(const Record& base, const Record& candidate, const Pair& time) {
  if (!base.clockMhz || !candidate.clockMhz || *base.clockMhz <= 0 || *candidate.clockMhz <= 0) return std::nullopt;
  return Pair{scaled(time.base, std::log(*base.clockMhz)), scaled(time.candidate, std::log(*candidate.clockMhz)), time.least,
              time.scatter};
}

/// The time over the control's, as paired runs found it.
std::optional<Figure> pairedOf(const Record& record) {
  if (record.speedup.value_or(0) <= 0 || !record.speedupInterval || record.speedupInterval->low <= 0) return std::nullopt;
  return inverse(figureOf(*record.speedup, *record.speedupInterval));
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

Controls controlsOf(const Results& candidate, const Matching& matching) {
  return {controlOf(candidate, matching, true, [](const Record& r) { return std::optional(timeOf(r)); }),
          controlOf(candidate, matching, true, secondaryOf), controlOf(candidate, matching, false, pairedOf),
          controlOf(candidate, matching, false, secondaryOf)};
}

std::optional<Pair> secondaryPair(const Record& base, const Record& candidate, const Controls& controls) {
  const auto before = secondaryOf(base), after = secondaryOf(candidate);
  if (!before || !after || controls.secondary.samples() < Control::least) return std::nullopt;
  const double duration = std::log(*base.median);
  return Pair{*before, scaled(*after, -controls.secondary.drift(static_cast<double>(candidate.index))), std::log1p(leastGap),
              std::min(controls.secondary.scatter(duration), controls.otherSecondary.scatter(duration))};
}

/// The deviations of a figure in both pools, as a control has shifts: of the control's records, or of the others'.
Control controlOfRuns(bool ofControl, std::vector<double> Deviations::* figure, const Pool& base, const Pool& candidate) {
  std::vector<Control::Point> points;
  for (const Pool* pool : {&base, &candidate})
    for (size_t i = 0; i < pool->deviations.size(); ++i) {
      const Record& record = pool->results.records[i];
      if (isControl(record) != ofControl) continue;
      const std::vector<double>& all = pool->deviations[i].*figure;
      const auto n = static_cast<double>(all.size());
      for (const double deviation : all)
        points.push_back({static_cast<double>(points.size()), std::log(*record.median), deviation * std::sqrt(n / (n - 1))});
    }
  return Control(std::move(points));
}

const Deviations& deviationsOf(const Pool& pool, const Record& record) {
  return pool.deviations[static_cast<size_t>(&record - pool.results.records.data())];
}

}  // namespace

bool isControl(const Record& record) { return inputs::isNetwork(record.op) ? record.isBaseline : record.contender == "eager"; }

bool isMeasured(const Record* record) { return record && record->disposition == Disposition::Measured; }

Matching::Matching(const Results& base, const Results& candidate)
    : dtypeCounts_(onlyDtype(base).empty() || onlyDtype(candidate).empty()) {
  for (const Record& record : base.records) base_.emplace(keyOf(record), &record);
  for (const Record& record : candidate.records) candidate_.emplace(keyOf(record), &record);
}

Matching::Key Matching::keyOf(const Record& record) const {
  return {record.op, record.sample, dtypeCounts_ ? record.dtype : "", record.contender};
}

const Record* Matching::find(const Records& records, const Key& key) {
  const auto found = records.find(key);
  return found == records.end() ? nullptr : found->second;
}

RunScatter::RunScatter(const Pool& base, const Pool& candidate, bool ofControl)
    : base_(base.runs),
      candidate_(candidate.runs),
      time_(controlOfRuns(ofControl, &Deviations::time, base, candidate)),
      paired_(controlOfRuns(ofControl, &Deviations::paired, base, candidate)) {}

double RunScatter::between(double ofAll, double own) const {
  return scatterOfPools(own > 2 * ofAll ? own : ofAll, base_, candidate_);
}

double RunScatter::time(double duration, const Deviations& base, const Deviations& candidate) const {
  return between(time_.scatter(duration), deviationOf(base.time, candidate.time));
}

double RunScatter::paired(double duration, const Deviations& base, const Deviations& candidate) const {
  return between(paired_.scatter(duration), deviationOf(base.paired, candidate.paired));
}

Witness::Witness(const Pool& base, const Pool& candidate, const Matching& matching, bool controlIsAlone)
    : base_(base), candidate_(candidate), runs_(base, candidate, controlIsAlone) {
  if (!controlIsAlone) controls_ = controlsOf(candidate.results, matching);
  for (const Record& record : candidate.results.records)
    if (const Record* before = matching.inBase(record); isControl(record) && isMeasured(&record) && isMeasured(before))
      controlShifts_.emplace(std::pair(record.op, record.sample), timeOf(record).centre - timeOf(*before).centre);
}

Evidence Witness::operator()(const Record& base, const Record& candidate) const {
  const double duration = std::log(*base.median);
  Evidence evidence;
  evidence.drift = isControl(base) ? 0 : controls_.time.drift(static_cast<double>(candidate.index));
  evidence.isCoarse = !base.medianInterval || !candidate.medianInterval;
  evidence.isUnknown = isUnknown(base) || isUnknown(candidate);
  evidence.isDisturbed = base.isDisturbed || candidate.isDisturbed;
  const double recorded = std::log1p(std::max({leastGap, base.aaNoise.value_or(0), candidate.aaNoise.value_or(0)}));
  double least = recorded, time = controls_.time.scatter(duration), paired = std::min(time, controls_.ratios.scatter(duration));
  if (runs_.isKnown()) {
    const Deviations &before = deviationsOf(base_, base), &after = deviationsOf(candidate_, candidate);
    least = std::log1p(leastGap);
    time = runs_.time(duration, before, after);
    paired = runs_.paired(duration, before, after);
    evidence.isNoisy = deviationOf(before.time, after.time) > std::log1p(Control::noisy);
  } else {
    evidence.isFew = base.device == "cpu" && controls_.time.samples() < Control::least;
  }
  evidence.isNoisy = evidence.isNoisy || hasControlMoved(candidate, evidence.drift);
  evidence.time = {timeOf(base), timeOf(candidate), least, time};
  evidence.cycles = cyclesOf(base, candidate, evidence.time);
  if (isControl(base)) return evidence;
  evidence.secondary = secondaryPair(base, candidate, controls_);
  if (base.secondary && candidate.secondary) evidence.secondaryShift = std::log(*candidate.secondary / *base.secondary);
  const auto before = pairedOf(base), after = pairedOf(candidate);
  if (before && after) evidence.paired = Pair{*before, *after, least, paired};
  return evidence;
}

bool Witness::hasControlMoved(const Record& candidate, double drift) const {
  const auto shift = controlShifts_.find({candidate.op, candidate.sample});
  return !isControl(candidate) && shift != controlShifts_.end() && std::abs(shift->second - drift) > std::log1p(Control::noisy);
}

}  // namespace opbench::compare
