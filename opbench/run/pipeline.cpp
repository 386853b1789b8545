#include "opbench/run/pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>

#include "codegen/compile.h"
#include "inputs/convert.h"
#include "inputs/operator_name.h"
#include "inputs/region.h"
#include "opbench/check/correctness_check.h"
#include "opbench/check/faults/fault.h"
#include "opbench/check/faults/network_faults.h"
#include "opbench/check/faults/process_fault_causes.h"
#include "opbench/measure/device/cached_ceilings.h"
#include "opbench/measure/library.h"
#include "opbench/measure/tune.h"
#include "opbench/results/brief.h"
#include "opbench/results/write.h"
#include "opbench/run/derive.h"
#include "opbench/run/dump.h"
#include "opbench/run/family.h"
#include "opbench/run/inductor_contender.h"
#include "opbench/run/memory.h"
#include "opbench/run/network.h"
#include "opbench/run/outcome.h"
#include "opbench/run/sibling_check.h"
#include "opbench/run/suspicion.h"
#include "opbench/run/timing.h"
#include "opbench/select/skipped.h"
#include "runtime/own/kernels/kernel_callable.h"
#include "runtime/profile/recorder.h"
#include "runtime/program/programs.h"
#include "runtime/torch/call.h"

namespace opbench {
namespace {

using codegen::Plan;
using runtime::CallablePtr;

/// Tells whether another process compiled the kernels before, and how long it took; if it did not, why.
void setPrecompiled(const Plan& plan, const Compilation* compilation, runtime::Callable& callable, Outcome& outcome) {
  const bool wasTried = compilation != nullptr && (!compilation->kernels.empty() || !compilation->failure.empty());
  if (!wasTried) return;
  outcome.precompileMiss = compilation->failure;
  outcome.isPrecompiled = callable.cached && compilation->kernels == kernelsOf(plan);
  if (!outcome.isPrecompiled && outcome.precompileMiss.empty()) outcome.precompileMiss = "its results were inferred wrongly";
  if (!outcome.isPrecompiled) return;
  callable.compileMs = compilation->ms;
  callable.cached = compilation->cached;
}

/// The trial of a library call's candidates, which an earlier one of the same sample spares.
std::optional<LibraryTrial> libraryTrialOf(const SampleContext& context) {
  for (const Outcome& outcome : context.row.outcomes)
    if (outcome.libraryTrial) return outcome.libraryTrial;
  return tryLibraries(*context.workload.call(), context.graph, context.check, context.bench);
}

/// A library call as the fastest candidate makes it.
CallablePtr fastestLibrary(CallablePtr own, Outcome& outcome, const SampleContext& context) {
  outcome.libraryTrial = libraryTrialOf(context);
  if (!outcome.libraryTrial || outcome.libraryTrial->library.empty()) return own;
  CallablePtr chosen = libraryCallable(*context.workload.call(), context.graph, outcome.libraryTrial->library);
  chosen->reason = own->reason;
  return chosen;
}

/// graph -> loops -> kernels -> programs -> code: what opbench is about.
CallablePtr compiled(Outcome& outcome, const SampleContext& context) {
  const Bench& bench = context.bench;
  runtime::Workload& workload = context.workload;
  const bool isView = workload.isView();
  Plan plan = isView ? codegen::fallbackPlan(context.graph, "")
                     : codegen::compile(context.graph, bench.device.target(), bench.options.schedules);
  context.row.family = isView ? "view" : familyOf(plan);
  if (bench.tunings != nullptr && !plan.kernels.empty()) outcome.tuning = tune(plan, workload, context.check, bench);
  const auto fault = bench.options.fault;
  if (fault) breakPlan(plan, *fault, bench.device.target());
  context.dump.plan(plan);
  CallablePtr callable = runtime::plannedCallable(workload, plan, bench.device, bench.cache);
  setPrecompiled(plan, bench.compilation, *callable, outcome);
  context.dump.assembly(plan, bench.device);
  if (callable->kind == runtime::Kind::Fallback && bench.options.timing)
    callable = fastestLibrary(std::move(callable), outcome, context);
  return fault ? broken(std::move(callable), *fault, workload) : std::move(callable);
}

/// Whether faults are planted in a contender: in what is generated of a call, and in whatever of a network is judged.
bool isSuspect(const Contender& contender, const runtime::Workload& workload) {
  return inputs::isNetwork(workload.op()) ? contender != workload.reference() : contender == Contender::Opbench;
}

/// The call computed by the kernel of the user's that is this contender.
CallablePtr kernelContender(const Contender& contender, const SampleContext& context) {
  const auto& files = context.bench.kernels;
  const auto isIt = [&](const runtime::KernelFile& file) { return file.contender == contender.name(); };
  const auto file = std::find_if(files.begin(), files.end(), isIt);
  if (file == files.end()) ir::fail(ir::ErrorKind::Input, "{} has no file", contender.name());
  return runtime::kernelCallable(context.workload, *file, context.graph, context.bench.device, context.bench.cache);
}

CallablePtr callableOf(Outcome& outcome, const SampleContext& context) {
  runtime::Workload& workload = context.workload;
  const bool isNetwork = inputs::isNetwork(workload.op());
  if (outcome.contender == Contender::Opbench && !isNetwork) return compiled(outcome, context);
  if (outcome.contender == Contender::Inductor) return inductorContender(outcome, context);
  if (outcome.contender.isKernel()) return kernelContender(outcome.contender, context);
  const bool isPlan = outcome.contender == Contender::Opbench;
  const auto fault = context.bench.options.fault;
  if (isPlan && fault && !isOfNetworks(*fault)) return plannedNetwork(context);  // which has the fault
  CallablePtr callable = isPlan ? plannedNetwork(context) : workload.make(outcome.contender);
  return fault && isSuspect(outcome.contender, workload) ? broken(std::move(callable), *fault, workload) : std::move(callable);
}

PreparedContender prepare(Outcome& outcome, CallablePtr callable, const SampleContext& context) {
  PreparedContender contender{&outcome, std::move(callable), nullptr};
  describe(*contender.callable, outcome);
  contender.trial = context.bench.device.prepare(*contender.callable, context.workload);
  const auto fault = context.bench.options.fault;
  if (fault && isSuspect(outcome.contender, context.workload)) contender.trial = broken(std::move(contender.trial), *fault);
  contender.trial->arithmetic = contender.callable->arithmetic;
  contender.trial->label = name(outcome.contender);
  outcome.notCaptured = contender.trial->notCaptured;
  outcome.graphNodes = contender.trial->kernelNodes();
  return contender;
}
PreparedContender prepare(Outcome& outcome, const SampleContext& context) {
  return prepare(outcome, callableOf(outcome, context), context);
}

/// ATen's own call in place of the library that was the fastest, and is wrong on data that it was not tried on.
void refuseLibrary(PreparedContender& contender, const std::string& why, const SampleContext& context) {
  LibraryTrial& libraries = *contender.outcome->libraryTrial;
  libraries.refused.push_back(fmt::format("{}: {}", libraries.library, why));
  libraries.library.clear();
  libraries.gain = 1;
  CallablePtr own = libraryCallable(*context.workload.call(), context.graph, "");
  own->reason = contender.callable->reason;
  if (const auto fault = context.bench.options.fault) own = broken(std::move(own), *fault, context.workload);
  contender.trial.reset();  // before its callable
  contender = prepare(*contender.outcome, std::move(own), context);
}

/// Judges a contender's trial; where a library is wrong, the trial of ATen's own call.
Verdict judged(PreparedContender& contender, const CorrectnessCheck& correctness, const SampleContext& context) {
  const Verdict verdict = correctness.judge(*contender.trial);
  const auto& libraries = contender.outcome->libraryTrial;
  if (verdict.ok || !libraries || libraries->library.empty()) return verdict;
  refuseLibrary(contender, verdict.message, context);
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

/// The contenders that can run, and whose runs give the same bits or not.
std::vector<PreparedContender> prepareAll(const inputs::Sample& sample, Row& row, const SampleContext& context,
                                          const CorrectnessCheck& correctness) {
  std::vector<PreparedContender> contenders;
  for (Outcome& outcome : row.outcomes)
    attempt({&outcome, 1}, context.dump.folder(), [&] {
      if (outcome.status != Status::Ok) return;
      PreparedContender contender = prepare(outcome, context);
      const bool isPlan = outcome.contender == Contender::Opbench && inputs::isNetwork(row.op);
      if (context.isChecked && isPlan && context.bench.options.checksGroups)
        if (std::string why = whichGroupIsWrong(sample, context); !why.empty()) return setWrong(outcome, std::move(why));
      if (context.isChecked) {
        outcome.determinism = correctness.determinism(*contender.trial);
        if (std::string why = correctness.overwritten(); !why.empty()) return setWrong(outcome, std::move(why));
      }
      contenders.push_back(std::move(contender));
    });
  return contenders;
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

/// workload -> reference -> graph -> callables -> trials -> checks on several sets of data -> race -> check of the last timed
/// runs.
void raceWorkload(const inputs::Sample& sample, Row& row, const Dump& dump, const Bench& bench) {
  const Options& options = bench.options;
  const inputs::Data data{options.data};
  const bool isChecked = options.accuracyChecking && row.notChecked.empty();
  cause(options.processFaults, row.index, bench.device);
  checkMemory(neededForArguments(sample, options), bench.device);
  if (const auto inferred = graphBefore(sample)) checkMemory(neededForOutputs(*inferred, options), bench.device);
  const std::unique_ptr<runtime::Workload> workload =
      runtime::makeWorkload(sample, bench.device, options.seed, data, runtime::Programs(options.modelsFolder, options.programs));
  Criterion criterion = criterionOf(*workload, sample, bench);
  criterion.anyStrides = bench.anyStrides;
  CorrectnessCheck correctness(*workload, criterion, bench.tolerances);
  ir::Graph graph;
  const Check isWrong = [&](runtime::Trial& trial) { return isChecked ? correctness.judge(trial).message : std::string(); };
  std::unique_ptr<NetworkPlan> network;
  const SampleContext context{*workload, correctness, graph, isWrong, dump, bench, row, network, isChecked};
  if (inputs::isNetwork(row.op)) {
    if (!options.noMemory) watchMemory(context);
    if (options.tracesMemory) traceMemory(*workload, row, bench);
    countProducts(*workload, row, bench);
  }
  if (isChecked) correctness.begin(options.seed, data);
  if (!inputs::isNetwork(row.op)) {
    graph = workload->graph(isChecked ? correctness.reference().eager : workload->runEager());
    dump.graph(graph);
    checkMemory(neededForOutputs(graph, options), bench.device);
    row.traffic = workload->traffic(graph);
    const auto onlyMoves = [&](const ir::Node& node) { return bench.tolerances.criterionFor(node.op).rule == Rule::Exact; };
    row.flops = runtime::operationsOf(graph, onlyMoves);
  } else if (dump.isOn()) {
    dumpCapture(*workload, dump);
  }
  row.data = toText(correctness.data());
  row.trivialSolution = correctness.trivialSolution();

  std::vector<PreparedContender> contenders = prepareAll(sample, row, context, correctness);
  const auto timeAll = [&] {
    const auto before = bench.device.state();
    if (options.isAA) {
      timeAgainstItself(contenders, context, [&](Outcome& outcome) { return prepare(outcome, context); });
    } else {
      const std::vector<Suspect> suspects = watch(contenders, context);
      time(contenders, context);
      accuse(suspects);
      accuseOwn(contenders, context);
    }
    if (before) row.gpu = stateSince(*before, bench);
  };
  if (!isChecked) return timeAll();
  const auto judge = [&](PreparedContender& contender) {
    Verdict verdict = judged(contender, correctness, context);
    if (!verdict.doubt.empty()) row.doubt = verdict.doubt;
    return verdict;
  };
  do dropFailed(contenders, workload->reference(), dump.folder(), judge);
  while (correctness.drawNext());
  if (!options.profile.folder.empty()) profileAll(contenders, sample, context);
  if (!options.timing) return;
  correctness.drawToTime();
  for (PreparedContender& contender : contenders) CorrectnessCheck::forget(*contender.trial);
  const auto repeats = [&](const PreparedContender& contender) {
    return contender.callable->isOwn && contender.outcome->determinism == Determinism::Bitwise && !workload->isRandom();
  };
  for (PreparedContender& contender : contenders)
    if (repeats(contender)) contender.witness = std::make_unique<Witness>(*contender.trial, correctness);
  timeAll();
  dropFailed(contenders, workload->reference(), dump.folder(), [&](PreparedContender& contender) -> Verdict {
    if (!contender.witness) return {};
    std::string why = keepVigil(*contender.trial, *contender.witness, *workload, bench.device);
    if (contender.witness->varies()) contender.outcome->determinism = Determinism::WithinTolerance;
    return {why.empty(), std::move(why), {}};
  });
  dropFailed(contenders, workload->reference(), dump.folder(), [&](PreparedContender& contender) {
    // Arguments that are written in place hold what the last of all contenders left there; random numbers went on.
    if (workload->mutates() || workload->isRandom()) {
      contender.trial->reseed();
      contender.trial->seconds();
    }
    Verdict verdict = correctness.judgeLatest(*contender.trial);
    if (!verdict.ok) verdict.message += " (in the last timed run)";
    const runtime::Measure measure = mainMeasure(bench.run);
    for (int capture = 0; capture < contender.trial->captures(measure) && verdict.ok; ++capture) {
      verdict = correctness.audit(*contender.trial, measure, capture);
      if (!verdict.ok) verdict.message += fmt::format(" (in capture {} of those that were timed)", capture + 1);
    }
    return verdict;
  });
  std::erase_if(contenders, [](const PreparedContender& contender) { return !contender.callable->isOwn; });
  if (contenders.empty()) return;
  correctness.drawUnforeseen();
  dropFailed(contenders, workload->reference(), dump.folder(), judge);
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
    raceWorkload(sample, row, dump, bench);
    checkSiblings(recorded, row, bench, [](const inputs::Sample& sibling, Row& other, const Bench& check) {
      raceWorkload(sibling, other, Dump("", 0, ""), check);
    });
  });
  accuseAll(row);
  raiseCeilings(row, bench);
  derive(row, bench.run);
  dump.race(results::jsonLines(row, bench.run));
  return row;
}

}  // namespace opbench
