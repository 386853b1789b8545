#include "opbench/run/timing.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

#include "inputs/operator_name.h"
#include "opbench/measure/energy.h"
#include "opbench/measure/profile.h"
#include "opbench/measure/race.h"
#include "opbench/run/outcome.h"

namespace opbench {
namespace {

Pace paceOf(const Bench& bench) {
  const RaceSettings& options = bench.options;
  Pace pace;
  if (options.precision) pace.precision = *options.precision;
  if (!options.precision && !options.isAA) pace.noise = bench.run.aaNoise;
  pace.maxSeconds = options.maxSeconds;
  pace.repeats = options.repeats;
  return pace;
}

/// A seed of its own for each sample, so that their orders differ.
uint64_t orderSeed(const Row& row, const Bench& bench) { return bench.options.seed + static_cast<uint64_t>(row.index); }

/// Races the contenders by one measure; nothing where one of them has no such measure. Networks have the main one alone.
std::optional<Measurement> raceBy(const std::vector<runtime::Trial*>& trials, runtime::Measure measure, const Row& row,
                                  const Bench& bench, const RunChecks& checks) {
  const bool isNetwork = inputs::isNetwork(row.op);
  if (isNetwork && measure != mainMeasure(bench.run)) return std::nullopt;
  for (runtime::Trial* trial : trials)
    if (!trial->prepareFor(measure)) return std::nullopt;
  if (isNetwork)
    return raceExactly(trials, measure, bench.device, bench.options.warmups, bench.options.runs, orderSeed(row, bench), checks);
  return race(trials, measure, bench.device, paceOf(bench), orderSeed(row, bench), checks);
}

/// A measure, and where what it finds goes.
struct Slot {
  runtime::Measure measure;
  std::optional<Timing> Outcome::* timing;
  std::optional<Measurement> Row::* measurement;
};
std::array<Slot, 2> slotsOf(const Run& run) {
  return {Slot{mainMeasure(run), &Outcome::timing, &Row::measurement},
          Slot{secondaryMeasure(run), &Outcome::secondary, &Row::secondaryMeasurement}};
}

bool isMeasured(const Measurement& measurement) {
  return std::all_of(measurement.timings.begin(), measurement.timings.end(), std::mem_fn(&Timing::isMeasured));
}

/// Races by one measure, and keeps the timings with the outcomes (none where null) and the rest with the row. Times that were not
/// measured are kept by none of the racing contenders: there is nothing to compare.
void fill(const Slot& slot, const std::vector<runtime::Trial*>& trials, const std::vector<Outcome*>& outcomes, Row& row,
          const Bench& bench, const RunChecks& checks = {}) {
  std::optional<Measurement> measurement = raceBy(trials, slot.measure, row, bench, checks);
  if (!measurement) return;
  if (!isMeasured(*measurement)) {
    row.notMeasured =
        fmt::format("{}: not surely more than 0, as something disturbs the device", measureName(bench.run, slot.measure));
    return;
  }
  for (size_t i = 0; i < outcomes.size(); ++i)
    if (outcomes[i] != nullptr && outcomes[i]->status == Status::Ok)
      outcomes[i]->*slot.timing = std::move(measurement->timings[i]);
  measurement->timings.clear();
  row.*slot.measurement = std::move(measurement);
}

/// Checks that judge runs among the runs timed by a measure, of all contenders but the reference, and mark wrong contenders. Each
/// run of the user's contenders is looked at.
RunChecks checksOf(const std::vector<PreparedContender>& contenders, runtime::Measure measure, const SampleContext& context) {
  if (!context.isChecked) return {};
  const auto check = [&context](const PreparedContender& contender, const std::function<std::string()>& whyWrong) {
    Outcome& outcome = *contender.outcome;
    if (outcome.contender == context.workload.reference() || outcome.status != Status::Ok) return;
    attempt({&outcome, 1}, context.dump.folder(), [&] {
      if (std::string why = whyWrong(); !why.empty()) setWrong(outcome, why);
    });
  };
  RunChecks checks;
  checks.audit = [&contenders, measure, &context, check](size_t i) {
    check(contenders[i], [&]() -> std::string {
      const Verdict verdict = context.correctness.audit(*contenders[i].trial, measure);
      return verdict.ok ? "" : verdict.message + " (in a run among those that are timed)";
    });
  };
  const auto isWatched = [](const PreparedContender& contender) { return contender.witness != nullptr; };
  if (std::any_of(contenders.begin(), contenders.end(), isWatched))
    checks.look = [&contenders, check](size_t i) {
      if (contenders[i].witness) check(contenders[i], [&] { return contenders[i].witness->look(); });
    };
  return checks;
}

}  // namespace

void time(const std::vector<PreparedContender>& contenders, const SampleContext& context) {
  if (contenders.empty()) return;
  Row& row = context.row;
  const Bench& bench = context.bench;
  std::vector<runtime::Trial*> trials;
  std::vector<Outcome*> outcomes;
  for (const PreparedContender& contender : contenders) {
    trials.push_back(contender.trial.get());
    outcomes.push_back(contender.outcome);
  }
  const auto stolenBefore = bench.device.stolenSeconds();
  for (const Slot& slot : slotsOf(bench.run))
    fill(slot, trials, outcomes, row, bench, checksOf(contenders, slot.measure, context));
  if (inputs::isNetwork(row.op))
    for (const PreparedContender& contender : contenders)
      contender.outcome->joules = joulesOf(*contender.trial, context.workload, bench.device);
  if (bench.options.kernelTime)
    for (const PreparedContender& contender : contenders) contender.outcome->kernelTime = contender.trial->kernelTime();
  if (bench.options.counters && !inputs::isNetwork(row.op))
    for (const PreparedContender& contender : contenders) contender.outcome->counters = contender.trial->counters();
  if (stolenBefore) row.stolenSeconds = bench.device.stolenSeconds().value_or(0) - *stolenBefore;
}

void timeAgainstItself(const std::vector<PreparedContender>& contenders, const SampleContext& context, const Prepare& prepare) {
  for (const PreparedContender& contender : contenders) {
    Outcome again;
    again.contender = contender.outcome->contender;
    const PreparedContender twin = prepare(again);
    for (const Slot& slot : slotsOf(context.bench.run))
      fill(slot, {contender.trial.get(), twin.trial.get()}, {nullptr, contender.outcome}, context.row, context.bench);
  }
}

void profileAll(const std::vector<PreparedContender>& contenders, const inputs::Sample& sample, const SampleContext& context) {
  std::vector<ProfiledTrial> trials;
  for (const PreparedContender& contender : contenders)
    trials.push_back({name(contender.outcome->contender), contender.trial.get()});
  if (trials.empty()) return;
  ProfiledSample profiled{sample.op, context.row.brief, context.row.bytes(), context.bench.run.ceilings.copy};
  for (const PreparedContender& contender : contenders)
    profiled.kernels.insert(contender.callable->names.begin(), contender.callable->names.end());
  const ProfileSettings& settings = context.bench.options.profile;
  recordProfile(trials, profiled, traceFile(settings, sample.op, context.row.index), context.workload, context.bench.device,
                settings);
}

}  // namespace opbench
