#include "opbench/run/pipeline.h"

#include <array>
#include <functional>

#include "codegen/compile.h"
#include "inputs/convert.h"
#include "ir/flops.h"
#include "opbench/check/examination.h"
#include "opbench/measure/tune.h"
#include "opbench/report/json.h"
#include "opbench/repro/keep.h"
#include "opbench/run/brief.h"
#include "opbench/run/dump.h"
#include "opbench/run/family.h"
#include "opbench/run/memory.h"
#include "opbench/run/outcome.h"
#include "opbench/select/skipped.h"
#include "opbench/sweep/workers/accident.h"
#include "runtime/torch/call.h"

namespace opbench {
namespace {

using codegen::Plan;
using runtime::Call;
using runtime::CallablePtr;

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

/// What compiling took, where another process did it before: there, and whether it found the kernels in the cache.
void tellAhead(const Plan& plan, const Compilation* ahead, runtime::Callable& callable, Outcome& outcome) {
  if (ahead == nullptr) return;
  outcome.notAhead = ahead->failure;
  outcome.isCompiledAhead = callable.cached && ahead->kernels == kernelsOf(plan);
  if (!outcome.isCompiledAhead && outcome.notAhead.empty()) outcome.notAhead = "its results were inferred wrongly";
  if (!outcome.isCompiledAhead) return;
  callable.compileMs = ahead->ms;
  callable.cached = ahead->cached;
}

/// graph -> loops -> kernels -> programs -> code: what opbench is about.
CallablePtr compiled(Outcome& outcome, const Course& course) {
  const Bench& bench = course.bench;
  Plan plan = codegen::compile(course.graph, bench.device.target());
  course.row.family = familyOf(plan);
  course.row.flops = 0;
  for (const auto& nest : plan.nests) course.row.flops += ir::floatingPointOperations(nest.loops);
  if (bench.tunings != nullptr && !plan.kernels.empty()) outcome.tuning = tune(plan, course.call, course.check, bench);
  const auto fault = bench.options.fault;
  if (fault) breakPlan(plan, *fault, bench.device.target());
  course.dump.plan(plan);
  CallablePtr callable = runtime::plannedCallable(course.call, plan, bench.device, bench.cache);
  tellAhead(plan, bench.ahead, *callable, outcome);
  course.dump.assembly(plan, bench.device);
  return fault ? broken(std::move(callable), *fault) : std::move(callable);
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
  const auto fault = course.bench.options.fault;
  if (fault && outcome.contender == Contender::Opbench) entrant.trial = broken(std::move(entrant.trial), *fault);
  outcome.notCaptured = entrant.trial->notCaptured;
  outcome.graphNodes = entrant.trial->kernelNodes();
  return entrant;
}

/// Drops the entrants whose step throws or whose verdict is not right; eager itself is the truth and is not judged.
void keepRight(std::vector<Entrant>& entrants, const std::string& dumped, const std::function<Verdict(Entrant&)>& judge) {
  std::erase_if(entrants, [&](Entrant& entrant) {
    Outcome& outcome = *entrant.outcome;
    if (outcome.contender == Contender::Eager) return false;
    attempt({&outcome, 1}, dumped, [&] {
      const Verdict verdict = judge(entrant);
      if (verdict.accuracy) outcome.accuracy = verdict.accuracy;
      if (!verdict.ok) setWrong(outcome, verdict.message);
    });
    return outcome.status != Status::Ok;
  });
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

/// A measure, and where what it finds goes.
struct Slot {
  runtime::Measure measure;
  std::optional<Timing> Outcome::* timing;
  std::optional<Heat> Row::* heat;
};
std::array<Slot, 2> slotsOf(const Run& run) {
  return {Slot{mainMeasure(run), &Outcome::timing, &Row::heat}, Slot{besideMeasure(run), &Outcome::beside, &Row::besideHeat}};
}

/// Races by one measure, and keeps the timings with the outcomes (none where null) and the rest with the row.
void fill(const Slot& slot, const std::vector<runtime::Trial*>& trials, const std::vector<Outcome*>& outcomes, Row& row,
          const Bench& bench) {
  std::optional<Heat> heat = heatOf(trials, slot.measure, row, bench);
  if (!heat) return;
  for (size_t i = 0; i < outcomes.size(); ++i)
    if (outcomes[i] != nullptr) outcomes[i]->*slot.timing = std::move(heat->timings[i]);
  heat->timings.clear();
  row.*slot.heat = std::move(heat);
}

void time(const std::vector<Entrant>& entrants, Row& row, const Bench& bench) {
  if (entrants.empty()) return;
  std::vector<runtime::Trial*> trials;
  std::vector<Outcome*> outcomes;
  for (const Entrant& entrant : entrants) {
    trials.push_back(entrant.trial.get());
    outcomes.push_back(entrant.outcome);
  }
  const auto stolenBefore = bench.device.stolenSeconds();
  for (const Slot& slot : slotsOf(bench.run)) fill(slot, trials, outcomes, row, bench);
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
    for (const Slot& slot : slotsOf(course.bench.run))
      fill(slot, {entrant.trial.get(), twin.trial.get()}, {nullptr, entrant.outcome}, course.row, course.bench);
  }
}

/// The contenders that can run, and whose runs give the same bits or not.
std::vector<Entrant> enterAll(Row& row, const Course& course, const Examination& examination) {
  std::vector<Entrant> entrants;
  for (Outcome& outcome : row.outcomes)
    attempt({&outcome, 1}, course.dump.folder(), [&] {
      Entrant entrant = enter(outcome, course);
      if (course.bench.options.accuracyChecking) outcome.deterministic = examination.isDeterministic(*entrant.trial);
      entrants.push_back(std::move(entrant));
    });
  return entrants;
}

/// call -> reference -> graph -> callables -> trials -> checks on two sets of data -> race -> check of what was timed last.
void raceCall(const inputs::Sample& sample, Row& row, const Dump& dump, const Bench& bench) {
  const Options& options = bench.options;
  const inputs::Data data{options.data};
  cause(options.accidents, row.index, bench.device);
  checkMemory(neededForArguments(sample, options), bench.device);
  if (const auto foreseen = runtime::graphByRule(sample)) checkMemory(neededForOutputs(*foreseen, options), bench.device);
  Call call(sample, bench.device, options.seed, data);
  Examination examination(call, sample.op, bench.tolerances);
  if (options.accuracyChecking) examination.begin(options.seed, data);
  const ir::Graph graph = call.graph(options.accuracyChecking ? examination.truth().eager : call.reference());
  dump.graph(graph);
  checkMemory(neededForOutputs(graph, options), bench.device);
  row.traffic = call.traffic(graph);
  row.data = toText(examination.data());
  row.vacuous = examination.vacuous();

  const Check isWrong = [&](runtime::Trial& trial) {
    return options.accuracyChecking ? examination.judge(trial).message : std::string();
  };
  const Course course{call, graph, isWrong, dump, bench, row};
  std::vector<Entrant> entrants = enterAll(row, course, examination);
  const auto timeAll = [&] { options.selfTest ? timeAgainstItself(entrants, course) : time(entrants, row, bench); };
  if (!options.accuracyChecking) return timeAll();
  const auto judge = [&](Entrant& entrant) { return examination.judge(*entrant.trial); };
  keepRight(entrants, dump.folder(), judge);
  examination.drawAgain();
  keepRight(entrants, dump.folder(), judge);
  for (Entrant& entrant : entrants) Examination::forget(*entrant.trial);
  timeAll();
  keepRight(entrants, dump.folder(), [&](Entrant& entrant) {
    // Arguments that are written in place hold what the last of all contenders left there.
    if (call.mutates()) entrant.trial->seconds();
    Verdict verdict = examination.judgeLatest(*entrant.trial);
    if (!verdict.ok) verdict.message += " (in the last timed run)";
    return verdict;
  });
}

}  // namespace

Row raceSample(const inputs::Sample& recorded, int index, const Bench& bench) {
  Row row = rowOf(recorded, index, bench.options.contenders);
  const Dump dump(bench.options.dump, index, recorded.op);
  attempt(row.outcomes, dump.folder(), [&] {
    const inputs::Sample sample = inputs::convert(recorded, bench.options.dtype, bench.options.channelsLast);
    row.brief = brief(sample);
    dump.sample(recorded, sample);
    const std::string why = whySkipped(sample, bench.options, bench.config, bench.device.torchName());
    if (!why.empty()) return skip(row.outcomes, why);
    raceCall(sample, row, dump, bench);
  });
  if (isBeyondLight(row, bench.run))
    bench.run.ceilings = raised(bench.run.ceilings, bench.device, bench.options.flush, bench.cache);
  derive(row, bench.run);
  keepCases(row, recorded, bench);
  dump.race(report::jsonLines(row, bench.run));
  return row;
}

}  // namespace opbench
