#include "opbench/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iostream>
#include <set>

#include "inputs/files.h"
#include "inputs/operator_name.h"
#include "inputs/text/printable.h"
#include "lowering/layout/schedule.h"
#include "lowering/tensor/lowering.h"
#include "opbench/challenge/challenge.h"
#include "opbench/cli/options.h"
#include "opbench/cli/outputs.h"
#include "opbench/compat/habits.h"
#include "opbench/front/endings.h"
#include "opbench/front/front.h"
#include "opbench/front/terminal.h"
#include "opbench/networks/foreign/reader.h"
#include "opbench/networks/foreign/recorder.h"
#include "opbench/networks/rnn.h"
#include "opbench/networks/runner.h"
#include "opbench/select/select.h"
#include "opbench/select/suite_config.h"
#include "opbench/select/suites.h"
#include "opbench/settings/options.h"
#include "opbench/sweep/sample_runner.h"
#include "opbench/sweep/sweep.h"
#include "opbench/sweep/workers/compiler.h"
#include "opbench/sweep/workers/worker.h"
#include "opbench/text/nearest.h"
#include "opbench/verbs/doctor.h"
#include "opbench/verbs/list.h"
#include "opbench/verbs/profile.h"
#include "opbench/verbs/registrations.h"
#include "opbench/verbs/repro.h"
#include "runtime/contenders/registered.h"
#include "runtime/cpu/host.h"
#include "runtime/device.h"
#include "runtime/devices/open.h"
#include "runtime/program/programs.h"
#include "runtime/torch/operator_names.h"

namespace {

using namespace opbench;

/// Bytes that the device may have; of a GPU's nothing is known before it is opened, but that no machine has more.
double roomFor(const Options& options) {
  constexpr double most = 1e13;
  const auto memory = wantedDevice(options) == "cpu" ? runtime::hostMemory() : std::nullopt;
  return memory ? static_cast<double>(memory->total) : most;
}

/// All of some samples.
Selection selectionOf(std::vector<inputs::Sample> samples) {
  const auto number = static_cast<int64_t>(samples.size());
  return {std::move(samples), {number, number}};
}

/// The samples the options name; lines that cannot be read are reported and counted in `unreadable`.
Selection readSelection(const Options& options, size_t& unreadable) {
  Tolerances tolerances;
  const SuiteConfig config(options.config, tolerances);
  if (const std::string keys = config.withoutEffect(); !keys.empty())
    std::cerr << "opbench: without effect here: " << inputs::printable(keys) << "\n";
  tolerances.read(options.tolerances);
  if (options.source == Source::Files)
    for (const auto* patterns : {&config.patterns(), &tolerances.patterns()})
      checkPatterns(*patterns, runtime::operatorNames(), runtime::Programs(options.modelsFolder, options.programs).names());
  if (options.source == Source::Rnn) return selectionOf(samplesOf(options.rnn, options.seed, roomFor(options)));
  if (options.source == Source::Models) {
    Reader reader(options.timeout);
    const runtime::Programs programs(options.modelsFolder, options.programs);
    if (const std::string unknown = unknownBatches(options.model.runner, programs); !unknown.empty())
      std::cerr << "opbench: " << inputs::printable(unknown) << "\n";
    return selectionOf(samplesOf(options.model, programs, config, std::ref(reader)));
  }
  const inputs::Samples read = readSamples(options, options.dtype);
  for (const std::string& error : read.errors) std::cerr << "opbench: error: " << inputs::printable(error) << "\n";
  unreadable = read.errors.size();
  if (read.samples.empty()) ir::fail(ir::ErrorKind::Input, "no sample could be read");
  for (const auto* patterns : {&options.ops, &options.filters, &options.excludes})
    if (const auto unknown = unmatched(read.samples, *patterns); !unknown.empty())
      ir::fail(ir::ErrorKind::Input, "{}", unknownOperator(unknown.front(), read.samples, runtime::operatorNames()));
  Selection selection = select(read.samples, options, config);
  if (selection.recorded.samples == 0) ir::fail(ir::ErrorKind::Input, "--op, --filter and --exclude match no operator together");
  if (selection.samples.empty()) ir::fail(ir::ErrorKind::Input, "--start-idx {} skips every sample", options.startIdx);
  if (options.compat == Compat::Operatorbench) dropSkipped(selection.samples, lowering::hasLowering, std::cout);
  return selection;
}

/// Refuses contenders that are named and compute none of the samples: they would have no row.
void checkContenders(const std::vector<inputs::Sample>& samples, const Options& options) {
  if (!options.namesContenders) return;
  std::set<std::string> operators;
  for (const inputs::Sample& sample : samples) operators.insert(sample.op);
  for (const Contender& contender : options.contenders) {
    if (std::any_of(operators.begin(), operators.end(), [&](const std::string& op) { return computes(contender, op); })) continue;
    if (contender.target().empty())
      ir::fail(ir::ErrorKind::Input, "--contenders: {} computes none of the samples, as {}", name(contender), *operators.begin());
    const std::vector<std::string> all(operators.begin(), operators.end());
    ir::fail(ir::ErrorKind::Input, "--contenders: no sample is of {}, which {} is for{}", contender.target(),
             name(contender.untargeted()), suggestion(nearest(contender.target(), all)));
  }
}

/// A schedule that does not parse is one of no sample.
void checkSchedules(const Options& options) {
  for (const std::string& text : options.schedules)
    if (!text.empty()) lowering::checkSyntax(text);
}

void checkLowerings() { checkRegistrations(lowering::registrations(), runtime::operatorNames()); }

/// Whether the operators asked for have lowerings, and where, if no sample that is read is of one of them: there is nothing else
/// to list. Empty where there are samples, or ATen has no such operator.
std::string loweringsWithoutSamples(const Options& options) {
  if (options.source != Source::Files) return "";
  const std::vector<inputs::Sample> samples = readSamples(options, options.dtype).samples;
  return samples.empty() || unmatched(samples, options.ops).size() < options.ops.size()
             ? ""
             : loweringsText(options.ops, lowering::registrations(), runtime::operatorNames());
}

int list(const Options& options) {
  checkLowerings();
  if (const std::string lowerings = loweringsWithoutSamples(options); !lowerings.empty()) {
    std::cout << lowerings;
    return Fine;
  }
  Options everything = options;
  everything.maxSamples = everything.startIdx = 0;
  const bool ofNetworks = options.source == Source::Models;
  if (!ofNetworks) everything.config.clear();
  size_t unreadable = 0;
  const std::vector<inputs::Sample> samples = readSelection(everything, unreadable).samples;
  const Listing listing = listingOf(ofNetworks ? racedOf(samples, options) : samples, options);
  std::cout << toText(listing);
  if (!options.markdown.empty()) inputs::writeFile(options.markdown, toMarkdown(listing));
  return unreadable > 0 ? Usage : Fine;
}

int doctor(const Options& options) {
  const Diagnosis diagnosis = diagnose(options);
  std::cout << toText(diagnosis);
  return diagnosis.works ? Fine : Failed;
}

/// Before a run of many samples: how many there are, how long timing them may take, and how to ask for fewer.
void sayHowLong(const std::vector<inputs::Sample>& samples, const Options& options) {
  constexpr double measures = 2, perMinute = 60;
  const double minutes = static_cast<double>(samples.size()) * measures * options.maxSeconds / perMinute;
  if (options.source != Source::Files || !options.timing || options.repeats > 0 || options.quiet || minutes < 1) return;
  std::set<std::string> operators;
  for (const inputs::Sample& sample : samples) operators.insert(sample.op);
  std::cerr << fmt::format(
      "opbench: {} samples of {} operators, at most about {:.0f} minutes of timing; Ctrl-C ends the run with a report, --op and "
      "--max-samples choose less\n",
      samples.size(), operators.size(), std::ceil(minutes));
}

/// Whether a sample is slower than --fail-on allows, which is said.
bool isTooSlow(const Summary& summary, const Options& options) {
  bool isAny = false;
  for (const Contender& other : options.notSlowerThan) {
    const auto judged = std::find_if(options.contenders.rbegin(), options.contenders.rend(),
                                     [&](const Contender& contender) { return contender != other; });
    const int slower = slowerThan(summary, *judged, other);
    if (slower == 0) continue;
    isAny = true;
    std::cerr << fmt::format("opbench: --fail-on: {} is more than 5% slower than {} on {} sample{}\n", name(*judged), name(other),
                             slower, slower == 1 ? "" : "s");
  }
  return isAny;
}

/// What is done with the samples that the options name, until a signal ends it.
using RaceSamples = Summary (*)(std::vector<inputs::Sample>, const Options&, Streams, const std::function<bool()>&);

int raceAll(Options options, RaceSamples race) {
  if (!options.sanitizer.empty()) return sanitize(options, standardStreams()) ? Fine : Failed;
  checkSchedules(options);
  checkLowerings();
  for (const std::string& folder : {options.dump, options.profile.folder})
    if (!folder.empty()) inputs::makeWritableFolder(folder);
  size_t unreadable = 0;
  Selection selection = readSelection(options, unreadable);
  options.recorded = selection.recorded;
  checkContenders(selection.samples, options);
  if (options.isArrayTask) std::cerr << "opbench: shard " << toText(options.shard) << ", as SLURM_ARRAY_TASK_ID says\n";
  sayHowLong(selection.samples, options);
  handleEndings();
  const Summary summary = race(std::move(selection.samples), options, standardStreams(), [] { return endedBy() != 0; });
  if (unreadable > 0)
    std::cerr << fmt::format("opbench: error: {} line{} could not be read, as said above; the results are without {}\n",
                             unreadable, unreadable == 1 ? "" : "s", unreadable == 1 ? "it" : "them");
  if (endedBy() != 0) return EndedBySignal + endedBy();
  if (isTooSlow(summary, options) || hasFailed(summary)) return Failed;
  return unreadable > 0 ? Usage : Fine;
}

int challenge(const Options& options) {
  if (options.challenge.folder.empty()) return judgeChallenge(options, standardStreams()) ? Fine : Failed;
  writeChallenge(options, standardStreams());
  return Fine;
}

int profile(const Options& options) {
  if (!options.profiling.tool.empty()) return profileWith(options, standardStreams()) ? Fine : Failed;
  if (options.profiling.compared.empty()) return raceAll(options, profileSamples);
  compareProfiles(options, standardStreams());
  return Fine;
}

/// Operators of the user's own that samples may call.
void allowOwnOperators(const Options& options) {
  std::vector<inputs::OwnOperator> own;
  for (const std::string& text : options.references) own.push_back(inputs::ownOperatorOf(text));
  inputs::setOwnOperators(std::move(own));
}

int run(const Options& options) {
  allowOwnOperators(options);
  if (const Action action = actionWithoutTorch(options.verb)) return action(options);
  switch (options.verb) {
    case Verb::List: return list(options);
    case Verb::Doctor: return doctor(options);
    case Verb::Repro: return reproduce(options, standardStreams()) ? Fine : Failed;
    case Verb::Challenge: return challenge(options);
    case Verb::Profile: return profile(options);
    case Verb::Rnn:
    case Verb::Model: return raceAll(options, sweep);
    case Verb::Record: return record(options, std::cout) ? Fine : Failed;
    case Verb::Capture: recordForParent(options, wantedDevice(options)); return Fine;
    case Verb::Read: readPrograms(); return Fine;
    case Verb::Work: work(options); return Fine;
    case Verb::Compile: precompile(options); return Fine;
    case Verb::Race: return raceAll(options, sweep);
    default: return Failed;
  }
}

/// What the options of a race ask of torch and the driver.
Environment environmentWithTorch() {
  Environment environment = readEnvironment();
  environment.hasCuda = [] { return runtime::cudaAvailable(); };
  environment.isNamespace = runtime::isNamespace;
  return environment;
}

}  // namespace

int opbench_run(int argc, const char* const* argv) {
  return endOf([&] {
    try {
      const Options options = parseOptions({argv + 1, argv + argc}, environmentWithTorch());
      checkOutputs(options);
      return run(options);
    } catch (const runtime::NoDevice& error) {
      return refuse(error.what(), NoSuchDevice);
    }
  });
}
