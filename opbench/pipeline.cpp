#include "opbench/pipeline.h"

#include <functional>

#include "inputs/convert.h"
#include "ir/flops.h"
#include "opbench/accuracy.h"
#include "opbench/brief.h"
#include "opbench/check.h"
#include "opbench/dump.h"
#include "opbench/family.h"
#include "opbench/outcome.h"
#include "opbench/report/json.h"
#include "opbench/repro/case.h"
#include "opbench/select.h"
#include "opbench/tune.h"
#include "runtime/call.h"
#include "runtime/plan.h"

namespace opbench {
namespace {

using runtime::Call;
using runtime::CallablePtr;
using runtime::Plan;

/// A contender that is ready to race.
struct Entrant {
  Outcome* outcome = nullptr;
  CallablePtr callable;
  std::unique_ptr<runtime::Trial> trial;
};

/// What a sample's contenders have in common.
struct Course {
  Call& call;
  const ir::Graph& graph;
  const Check& check;
  const Dump& dump;
  const Bench& bench;
  Row& row;
};

/// graph -> loops -> kernels -> programs -> code: what opbench is about.
CallablePtr compiled(Outcome& outcome, const Course& course) {
  const Bench& bench = course.bench;
  Plan plan = runtime::makePlan(course.graph, bench.device.target());
  course.row.family = familyOf(plan);
  course.row.flops = 0;
  for (const ir::Loops& loops : plan.loops) course.row.flops += ir::floatingPointOperations(loops);
  if (bench.tunings != nullptr && !plan.kernels.empty()) outcome.tuning = tune(plan, course.call, course.check, bench);
  course.dump.plan(plan);
  CallablePtr callable = runtime::plannedCallable(course.call, plan, bench.device, bench.cache);
  course.dump.assembly(plan, bench.device);
  return callable;
}

CallablePtr callableOf(Outcome& outcome, const Course& course) {
  switch (outcome.contender) {
    case Contender::Eager: return runtime::eagerCallable(course.call);
    case Contender::Opbench: return compiled(outcome, course);
    case Contender::Torchscript: return runtime::torchscriptCallable(course.call);
  }
  return nullptr;
}

Entrant enter(Outcome& outcome, const Course& course) {
  Entrant entrant{&outcome, callableOf(outcome, course), nullptr};
  describe(*entrant.callable, outcome);
  entrant.trial = course.bench.device.prepare(*entrant.callable, course.call);
  outcome.notCaptured = entrant.trial->notCaptured;
  outcome.graphNodes = entrant.trial->kernelNodes();
  return entrant;
}

/// Whether the entrant's result is eager's; eager itself is the truth and is not asked.
bool isRight(Entrant& entrant, const Check& check) {
  if (entrant.outcome->contender == Contender::Eager) return true;
  const std::string wrong = check(*entrant.trial);
  if (!wrong.empty()) setWrong(*entrant.outcome, wrong);
  return wrong.empty();
}

Pace paceOf(const Options& options) {
  Pace pace;
  pace.precision = options.precision;
  pace.maxSeconds = options.maxSeconds;
  pace.repeats = options.repeats;
  return pace;
}

/// A seed of its own for each sample, so that their orders differ.
uint64_t orderSeed(const Row& row, const Bench& bench) { return bench.options.seed + static_cast<uint64_t>(row.index); }

/// Races the entrants by one measure; nothing where one of them has no such measure.
std::optional<Heat> heatOf(const std::vector<runtime::Trial*>& trials, runtime::Measure measure, const Row& row,
                           const Bench& bench) {
  for (runtime::Trial* trial : trials)
    if (!trial->prepareFor(measure)) return std::nullopt;
  return race(trials, measure, bench.device, paceOf(bench.options), orderSeed(row, bench));
}

/// The heat without its timings, which go to the outcomes: each to the field that is meant.
std::optional<Heat> share(std::optional<Heat> heat, const std::vector<Entrant>& entrants,
                          std::optional<Timing> Outcome::* timing) {
  if (!heat) return heat;
  for (size_t i = 0; i < entrants.size(); ++i) entrants[i].outcome->*timing = std::move(heat->timings[i]);
  heat->timings.clear();
  return heat;
}

void time(const std::vector<Entrant>& entrants, Row& row, const Bench& bench) {
  if (entrants.empty()) return;
  std::vector<runtime::Trial*> trials;
  for (const Entrant& entrant : entrants) trials.push_back(entrant.trial.get());
  const auto stolenBefore = bench.device.stolenSeconds();
  row.heat = share(heatOf(trials, mainMeasure(bench.run), row, bench), entrants, &Outcome::timing);
  row.besideHeat = share(heatOf(trials, besideMeasure(bench.run), row, bench), entrants, &Outcome::beside);
  if (bench.options.kernelTime)
    for (const Entrant& entrant : entrants) entrant.outcome->kernelTime = entrant.trial->kernelTime();
  if (stolenBefore) row.stolenSeconds = bench.device.stolenSeconds().value_or(0) - *stolenBefore;
}

/// Races each entrant against a second one made alike: the outcome's ratio is then how far two runs of the same differ.
void timeAgainstItself(const std::vector<Entrant>& entrants, const Course& course) {
  for (const Entrant& entrant : entrants) {
    Outcome again;
    again.contender = entrant.outcome->contender;
    const Entrant twin = enter(again, course);
    for (const auto measure : {mainMeasure(course.bench.run), besideMeasure(course.bench.run)}) {
      auto heat = heatOf({entrant.trial.get(), twin.trial.get()}, measure, course.row, course.bench);
      if (!heat) continue;
      const bool isMain = measure == mainMeasure(course.bench.run);
      (isMain ? entrant.outcome->timing : entrant.outcome->beside) = heat->timings[1];
      heat->timings.clear();
      (isMain ? course.row.heat : course.row.besideHeat) = std::move(heat);
    }
  }
}

/// call -> reference -> graph -> callables -> trials -> checks -> race.
void raceCall(const inputs::Sample& sample, Row& row, const Dump& dump, const Bench& bench) {
  Call call(sample, bench.device, bench.options.seed);
  Truth truth;
  truth.eager = call.reference();
  const ir::Graph graph = call.graph(truth.eager);
  dump.graph(graph);
  row.traffic = call.traffic(graph);
  if (bench.options.accuracyChecking) truth.float64 = call.referenceInFloat64();
  const Check isWrong = [&](runtime::Trial& trial) {
    if (!bench.options.accuracyChecking) return std::string();
    const Verdict verdict = check(trial.run(), truth, ruleFor(sample.op));
    return verdict.ok ? std::string() : verdict.message;
  };
  const Course course{call, graph, isWrong, dump, bench, row};
  std::vector<Entrant> entrants;
  for (Outcome& outcome : row.outcomes)
    attempt({&outcome, 1}, dump.folder(), [&] {
      Entrant entrant = enter(outcome, course);
      if (isRight(entrant, isWrong)) entrants.push_back(std::move(entrant));
    });
  truth = {};
  if (bench.options.selfTest) return timeAgainstItself(entrants, course);
  time(entrants, row, bench);
}

}  // namespace

Row raceSample(const inputs::Sample& recorded, int index, const Bench& bench) {
  Row row = rowOf(recorded, index, bench.options.contenders);
  const Dump dump(bench.options.dump, index, recorded.op);
  attempt(row.outcomes, dump.folder(), [&] {
    const inputs::Sample sample = inputs::convert(recorded, bench.options.dtype, bench.options.channelsLast);
    row.brief = brief(sample);
    dump.sample(recorded, sample);
    if (const int64_t bytes = argumentBytes(sample); bench.options.maxBytes > 0 && bytes > bench.options.maxBytes)
      return skip(row.outcomes,
                  fmt::format("its arguments take {} bytes, more than --max-bytes {}", bytes, bench.options.maxBytes));
    raceCall(sample, row, dump, bench);
  });
  if (isBeyondLight(row, bench.run)) bench.run.ceilings = raised(bench.run.ceilings, bench.device, bench.cache);
  derive(row, bench.run);
  addReproCommands(row, bench.options);
  dump.race(report::jsonLines(row, bench.run));
  return row;
}

}  // namespace opbench
