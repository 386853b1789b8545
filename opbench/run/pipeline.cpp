#include "opbench/run/pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>

#include "inputs/convert.h"
#include "inputs/operator_name.h"
#include "inputs/region.h"
#include "opbench/check/correctness_check.h"
#include "opbench/check/faults/process_fault_causes.h"
#include "opbench/inductor/inductor.h"
#include "opbench/measure/device/cached_ceilings.h"
#include "opbench/results/brief.h"
#include "opbench/results/write.h"
#include "opbench/run/compiled_call.h"
#include "opbench/run/contenders.h"
#include "opbench/run/derive.h"
#include "opbench/run/dump.h"
#include "opbench/run/memory.h"
#include "opbench/run/network.h"
#include "opbench/run/outcome.h"
#include "opbench/run/sibling_check.h"
#include "opbench/run/suspicion.h"
#include "opbench/run/timing.h"
#include "opbench/select/skipped.h"
#include "opbench/text/time.h"
#include "opbench/timeline/stage.h"
#include "runtime/profile/recorder.h"
#include "runtime/program/programs.h"
#include "runtime/torch/infer.h"
#include "runtime/workloads/call.h"
#include "runtime/workloads/make.h"

namespace opbench {
namespace {

using runtime::CallablePtr;

/// Judges a contender's trial; where a library is wrong, the trial of ATen's own call.
Verdict judged(PreparedContender& contender, const CorrectnessCheck& correctness, const SampleContext& context) {
  const Verdict verdict = correctness.judge(*contender.trial);
  const auto& libraries = contender.outcome->libraryTrial;
  if (verdict.ok || !libraries || libraries->library.empty()) return verdict;
  CallablePtr own = withoutLibrary(*contender.outcome, verdict.message, context);
  own->reason = contender.callable->reason;
  contender.trial.reset();  // before its callable
  contender = prepare(*contender.outcome, std::move(own), context);
  return correctness.judge(*contender.trial);
}

/// Makes each contender of a network ready, alone, and watches the memory of its first run, before anything else is made. Runs of
/// networks allocate what they need.
void watchMemory(const SampleContext& context) {
  using Clock = std::chrono::steady_clock;
  runtime::Device& device = context.bench.device;
  for (Outcome& outcome : context.row.outcomes)
    attempt({&outcome, 1}, context.dump.folder(), [&] {
      const Clock::time_point start = Clock::now();
      if (outcome.contender == Contender::Opbench) planOf(context);  // what a capture holds is none of its run's
      const std::unique_ptr<runtime::MemoryWatch> watch = device.watchMemory();
      const PreparedContender contender = prepare(outcome, context);
      contender.trial->run();
      device.synchronize();
      outcome.firstSeconds = std::chrono::duration<double>(Clock::now() - start).count();
      if (outcome.isPrecompiled) *outcome.firstSeconds += 1e-3 * contender.callable->compileMs;
      outcome.memory = watch->peaks();
      outcome.memory->allocated += context.workload.operandBytes();
    });
}

/// Drops the contenders that throw or are wrong. The reference is not judged.
void dropFailed(std::vector<PreparedContender>& contenders, const std::optional<Contender>& reference, const std::string& dumped,
                const std::function<Verdict(PreparedContender&)>& judge) {
  std::erase_if(contenders, [&](PreparedContender& contender) {
    Outcome& outcome = *contender.outcome;
    if (outcome.contender == reference || outcome.status != Status::Ok) return outcome.status != Status::Ok;
    attempt({&outcome, 1}, dumped, [&] {
      const Verdict verdict = judge(contender);
      if (verdict.accuracy) outcome.accuracy = verdict.accuracy;
      if (!verdict.ok) setWrong(outcome, verdict.message);
    });
    return outcome.status != Status::Ok;
  });
}

/// The graph of a network, or why there is none, which is no reason not to race it.
void dumpCapture(runtime::Workload& workload, const Dump& dump) {
  try {
    if (const auto capture = workload.capture(runtime::Audit::No)) dump.graph(capture->graph);
  } catch (const ir::Error& error) {
    dump.noGraph(error.what());
  }
}

/// What a sample will compute, as far as it is known before anything runs.
std::optional<ir::Graph> graphBefore(const inputs::Sample& sample) {
  if (inputs::isRegion(sample.op)) return inputs::regionOf(sample);
  return inputs::isCall(sample.op) ? runtime::graphByRule(sample) : std::nullopt;
}

/// The GPU's state over a span. Other processes of this run are on it too, but compile nothing meanwhile: they do not count.
runtime::GpuState stateSince(const runtime::GpuState& before, const Bench& bench) {
  runtime::GpuState state = runtime::between(before, bench.device.state().value_or(before));
  if (!state.otherProcesses || bench.run.device != Inductor::gpu) return state;
  const int waiting = bench.compilersOnGpu + (bench.inductor != nullptr && bench.inductor->usesGpu() ? 1 : 0);
  state.otherProcesses = std::max(0, *state.otherProcesses - waiting);
  return state;
}

/// A sample on its way through the stages: workload -> reference -> graph -> contenders -> checks on several sets of data -> race
/// -> checks of the last timed runs.
class SampleRace {
 public:
  SampleRace(const inputs::Sample& sample, Row& row, const Dump& dump, const Bench& bench);
  void run();

 private:
  const RaceSettings& options() const { return context_.bench.options; }
  bool isNetwork() const { return inputs::isNetwork(context_.row.op); }
  bool isPlan(const Outcome& outcome) const { return outcome.contender == Contender::Opbench && isNetwork(); }

  void watchNetwork();
  void takeReference();
  void takeGraph();
  void makeContenders();
  void checkResults();
  void profile();
  void race();
  void checkWitnesses();
  void checkTimedRuns();
  void checkOnUnforeseenData();

  Verdict judge(PreparedContender& contender);
  std::string whereWrong() const;
  void dropFailed(const std::function<Verdict(PreparedContender&)>& judge) {
    opbench::dropFailed(contenders_, workload_->reference(), context_.dump.folder(), judge);
  }

  const inputs::Sample& sample_;
  const inputs::Data data_;
  const std::unique_ptr<runtime::Workload> workload_;
  CorrectnessCheck correctness_;
  ir::Graph graph_;
  const Check isWrong_ = [this](runtime::Trial& trial) {
    return context_.isChecked ? correctness_.judge(trial).message : std::string();
  };
  std::unique_ptr<NetworkPlan> network_;
  const SampleContext context_;
  std::vector<PreparedContender> contenders_;
};

/// Error: Unsupported where the sample does not fit into memory.
std::unique_ptr<runtime::Workload> workloadOf(const inputs::Sample& sample, int index, const Bench& bench) {
  const TimedStage stage(stages::data);
  const RaceSettings& options = bench.options;
  cause(options.processFaults, index, bench.device);
  checkMemory(neededForArguments(sample, options), bench.device);
  if (const auto inferred = graphBefore(sample)) checkMemory(neededForOutputs(*inferred, options), bench.device);
  return runtime::makeWorkload(sample, bench.device, options.seed, {options.data},
                               runtime::Programs(options.modelsFolder, options.programs));
}

SampleRace::SampleRace(const inputs::Sample& sample, Row& row, const Dump& dump, const Bench& bench)
    : sample_(sample),
      data_{bench.options.data},
      workload_(workloadOf(sample, row.index, bench)),
      correctness_(*workload_, criterionOf(*workload_, sample, bench), bench.tolerances),
      context_{*workload_, correctness_, graph_,
               isWrong_,   dump,         bench,
               row,        network_,     bench.options.accuracyChecking && row.notChecked.empty()} {}

void SampleRace::run() {
  watchNetwork();
  takeReference();
  takeGraph();
  makeContenders();
  checkResults();
  profile();
  if (!options().timing) return;
  race();
  if (!context_.isChecked) return;
  const TimedStage stage(stages::checking);
  checkWitnesses();
  checkTimedRuns();
  checkOnUnforeseenData();
}

void SampleRace::watchNetwork() {
  if (!isNetwork()) return;
  const TimedStage stage(stages::memory);
  if (!options().noMemory) watchMemory(context_);
  if (options().tracesMemory) traceMemory(*workload_, context_.row, context_.bench);
  countProducts(*workload_, context_.row, context_.bench);
}

void SampleRace::takeReference() {
  if (!context_.isChecked) return;
  const TimedStage stage(stages::checking);
  correctness_.begin(options().seed, data_);
}

void SampleRace::takeGraph() {
  const TimedStage stage(stages::preparing);
  const Bench& bench = context_.bench;
  Row& row = context_.row;
  if (isNetwork()) {
    if (context_.dump.isOn()) dumpCapture(*workload_, context_.dump);
  } else {
    graph_ = workload_->graph(context_.isChecked ? correctness_.reference().eager : workload_->runEager());
    context_.dump.graph(graph_);
    checkMemory(neededForOutputs(graph_, options()), bench.device);
    row.traffic = workload_->traffic(graph_);
    const auto onlyMoves = [&](const ir::Node& node) { return bench.tolerances.criterionFor(node.op).rule == Rule::Exact; };
    row.flops = runtime::operationsOf(graph_, onlyMoves);
  }
  row.data = toText(correctness_.data());
  row.trivialSolution = correctness_.trivialSolution();
}

/// Makes the contenders that can run, and notes whose runs give the same bits.
void SampleRace::makeContenders() {
  const TimedStage stage(stages::preparing);
  for (Outcome& outcome : context_.row.outcomes)
    attempt({&outcome, 1}, context_.dump.folder(), [&] {
      if (outcome.status != Status::Ok) return;
      PreparedContender contender = prepare(outcome, context_);
      if (context_.isChecked && isPlan(outcome) && options().checksGroups)
        if (std::string why = whichGroupIsWrong(sample_, context_); !why.empty()) return setWrong(outcome, std::move(why));
      if (context_.isChecked) {
        const TimedStage checking(stages::checking);
        outcome.determinism = correctness_.determinism(*contender.trial);
        if (std::string why = correctness_.overwritten(); !why.empty()) return setWrong(outcome, std::move(why));
      }
      contenders_.push_back(std::move(contender));
    });
}

Verdict SampleRace::judge(PreparedContender& contender) {
  Verdict verdict = judged(contender, correctness_, context_);
  if (!verdict.doubt.empty()) context_.row.doubt = verdict.doubt;
  if (!verdict.ok && isPlan(*contender.outcome)) verdict.message += whereWrong();
  return verdict;
}

/// Where a plan goes wrong, as far as its groups alone show it; nothing where they cannot be checked now.
std::string SampleRace::whereWrong() const {
  try {
    const std::string why = whichGroupIsWrong(sample_, context_);
    return why.empty() ? "; each of its groups is right by itself" : "; wrong by itself: " + why;
  } catch (const std::exception&) {
    return "";
  }
}

void SampleRace::checkResults() {
  if (!context_.isChecked) return;
  const TimedStage stage(stages::checking);
  do dropFailed([this](PreparedContender& contender) { return judge(contender); });
  while (correctness_.drawNext());
}

void SampleRace::profile() {
  if (options().profile.folder.empty()) return;
  const TimedStage stage(stages::profiling);
  profileAll(contenders_, sample_, context_);
}

/// Times the contenders, whose results are forgotten before where they are checked.
void SampleRace::race() {
  if (context_.isChecked) {
    const TimedStage stage(stages::checking);
    correctness_.drawToTime();
    for (PreparedContender& contender : contenders_) CorrectnessCheck::forget(*contender.trial);
    const auto repeats = [&](const PreparedContender& contender) {
      return contender.callable->isOwn && contender.outcome->determinism == Determinism::Bitwise && !workload_->isRandom();
    };
    for (PreparedContender& contender : contenders_)
      if (repeats(contender)) contender.witness = std::make_unique<Witness>(*contender.trial, correctness_);
  }
  const TimedStage stage(stages::racing);
  const auto before = context_.bench.device.state();
  if (options().isAA) {
    timeAgainstItself(contenders_, context_, [&](Outcome& outcome) { return prepare(outcome, context_); });
  } else {
    const std::vector<Suspect> suspects = watch(contenders_, context_);
    time(contenders_, context_);
    accuse(suspects);
    accuseOwn(contenders_, context_);
  }
  if (before) context_.row.gpu = stateSince(*before, context_.bench);
}

void SampleRace::checkWitnesses() {
  dropFailed([&](PreparedContender& contender) -> Verdict {
    if (!contender.witness) return {};
    std::string why = keepVigil(*contender.trial, *contender.witness, *workload_, context_.bench.device);
    if (contender.witness->varies()) contender.outcome->determinism = Determinism::WithinTolerance;
    return {why.empty(), std::move(why), {}};
  });
}

void SampleRace::checkTimedRuns() {
  dropFailed([&](PreparedContender& contender) {
    // Arguments that are written in place hold what the last of all contenders left there; random numbers went on.
    if (workload_->mutates() || workload_->isRandom()) {
      contender.trial->reseed();
      contender.trial->seconds();
    }
    Verdict verdict = correctness_.judgeLatest(*contender.trial);
    if (!verdict.ok) verdict.message += " (in the last timed run)";
    const runtime::Measure measure = mainMeasure(context_.bench.run);
    for (int capture = 0; capture < contender.trial->captures(measure) && verdict.ok; ++capture) {
      verdict = correctness_.audit(*contender.trial, measure, capture);
      if (!verdict.ok) verdict.message += fmt::format(" (in capture {} of those that were timed)", capture + 1);
    }
    return verdict;
  });
}

void SampleRace::checkOnUnforeseenData() {
  std::erase_if(contenders_, [](const PreparedContender& contender) { return !contender.callable->isOwn; });
  if (contenders_.empty()) return;
  correctness_.drawUnforeseen();
  dropFailed([this](PreparedContender& contender) { return judge(contender); });
}

/// A time that passes a ceiling says that this was measured while other programs ran. One that passes it clearly has all measured
/// again. What eager reaches is possible, whatever was measured.
void raiseCeilings(Row& row, const Bench& bench) {
  Ceilings& ceilings = bench.run.ceilings;
  const Ceilings before = ceilings;
  if (isBeyondRoofline(row, bench.run)) ceilings = highest(ceilings, freshCeilings(bench.device, bench.cache));
  ceilings = reachedByEager(row, bench.run);
  if (ceilings == before) return;
  const int64_t when = now();
  row.ceilingsRaised = raisedText(before, ceilings, when);
  keepRaised(ceilings, when, bench.device, bench.options.flush, bench.cache);
}

}  // namespace

Row raceSample(const inputs::Sample& recorded, int index, const Bench& bench) {
  Row row = rowOf(recorded, index, contendersOf(recorded.op, bench.options.contenders));
  const Dump dump(bench.options.dump, index, recorded.op);
  const runtime::Range range(fmt::format("sample {}: {}", index, recorded.op));
  attempt(row.outcomes, dump.folder(), [&] {
    const inputs::Sample sample = inputs::convert(recorded, bench.options.dtype, bench.options.channelsLast);
    row.brief = brief(sample);
    dump.sample(recorded, sample);
    const std::string why = whySkipped(sample, bench.options, bench.config, bench.device.torchName());
    if (!why.empty()) return skip(row.outcomes, why);
    row.notChecked = bench.config.whyNotChecked(sample.op, bench.options.timing);
    if (!row.notChecked.empty() && !bench.options.timing) return skip(row.outcomes, row.notChecked);
    SampleRace(sample, row, dump, bench).run();
    checkSiblings(recorded, row, bench, [](const inputs::Sample& sibling, Row& other, const Bench& check) {
      const Dump none("", 0, "");
      SampleRace(sibling, other, none, check).run();
    });
  });
  accuseAll(row);
  raiseCeilings(row, bench);
  derive(row, bench.run);
  dump.race(results::jsonLines(row, bench.run));
  return row;
}

}  // namespace opbench
