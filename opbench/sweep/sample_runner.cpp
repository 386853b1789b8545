#include "opbench/sweep/sample_runner.h"

#include <algorithm>
#include <chrono>

#include "inputs/files.h"
#include "opbench/cases/case_writer.h"
#include "opbench/measure/device/aa_calls.h"
#include "opbench/measure/device/ceilings.h"
#include "opbench/measure/device/copy_times.h"
#include "opbench/measure/device/streaming.h"
#include "opbench/measure/race.h"
#include "opbench/own/own_contenders.h"
#include "opbench/process/fence.h"
#include "opbench/results/write.h"
#include "opbench/run/inductor_contender.h"
#include "opbench/run/outcome.h"
#include "opbench/run/pipeline.h"
#include "opbench/select/skipped.h"
#include "opbench/settings/arguments.h"
#include "opbench/settings/device_name.h"
#include "opbench/sweep/shard.h"
#include "opbench/text/version.h"
#include "runtime/cpu/processors.h"
#include "runtime/devices/open.h"

namespace opbench {
namespace {

std::unique_ptr<runtime::Device> openDevice(const Options& options) {
  const std::string wanted = wantedDevice(options);
  const bool isConfined = wanted != "cpu" && !options.processors.empty();
  if (isConfined) runtime::confineTo(options.processors);
  const int threads = options.threads == 0 && isConfined ? static_cast<int>(options.processors.size()) : options.threads;
  return runtime::openDevice(wanted, threads);
}

/// Why a program of somebody else has no fence around it; empty where it has.
std::string whyNotFenced(const Options& options) {
  if (options.inProcess) return "fences, as it is no worker's (--in-process)";
  if (options.races(Contender::Inductor)) return "fences, as Inductor starts programs";
  return "";
}

bool isFenced(const Options& options) { return !options.programs.empty() && whyNotFenced(options).empty(); }

/// The folders of the run's own. A folder has to be there before the fence.
std::vector<std::string> foldersToWrite(const Options& options) {
  for (const std::string& folder : {options.dump, options.profile.folder})
    if (!folder.empty()) inputs::makeFolder(folder);
  return {options.cache.folder, options.dump, options.cases, options.profile.folder};
}

bool isOfFile(const std::string& op, const Options& options) {
  return std::any_of(options.programs.begin(), options.programs.end(),
                     [&](const auto& program) { return op.starts_with("model." + program.first + "."); });
}

Run describe(runtime::Device& device, const Options& options, const runtime::Cache& cache) {
  Run run;
  run.device = device.torchName();
  run.deviceName = device.name();
  if (options.timing || !options.profile.folder.empty()) {
    run.ceilings = ceilingsOf(device, options.flush, cache);
    run.copyTimes = copyTimesOf(device, options.flush, cache);
  }
  run.processors = device.target().processors;
  run.lastCacheBytes = device.lastCacheBytes();
  if (options.timing) run.aaNoise = aaNoiseOf(device, options.flush, mainMeasure(run), cache);
  run.software = device.software();
  run.flush = options.flush;
  run.precision = options.precision.value_or(Pace{}.precision);
  run.anyPrecision = options.anyPrecision;
  run.isAA = options.isAA;
  run.dtype = ir::torchName(options.dtype);
  run.seed = options.seed;
  run.threads = device.target().backend == ir::Backend::Cpu ? device.target().processors : 0;
  run.channelsLast = options.channelsLast;
  run.repeats = options.repeats;
  run.environment = device.environment();
  run.started = options.started;
  run.version = versionText();
  run.selection = options.selection;
  run.options = quoted(raceArguments(options));
  run.rules = rulesDigest(options);
  run.shard = toText(options.shard);
  run.contenders = contendersOfCalls(options.contenders);
  return run;
}

}  // namespace

std::string wantedDevice(const Options& options) {
  return wantedDevice(options, [] { return runtime::cudaAvailable(); });
}

std::vector<inputs::Sample> racedOf(const std::vector<inputs::Sample>& samples, const Options& options) {
  Tolerances tolerances;
  const SuiteConfig config(options.config, tolerances);
  std::vector<inputs::Sample> raced;
  for (const int number : samplesOf(options.shard, samples)) {
    const inputs::Sample& sample = samples[static_cast<size_t>(number) - 1];
    if (whySkipped(sample, options, config, wantedDevice(options)).empty()) raced.push_back(sample);
  }
  return raced;
}

SampleRunner::SampleRunner(const Options& options)
    : options_(options),
      config_(options.config, tolerances_),
      timeline_(options.timeline, "worker " + wantedDevice(options)),
      hasFileFence_(isFenced(options) && fenceFiles(foldersToWrite(options))),
      processors_(runtime::allowedProcessors()),
      device_(openDevice(options)),
      lock_(device_->hardware()),
      cache_(options.cache) {
  const TimedStage stage("starting");
  if (!options.libraries.empty()) device_->watchClock();
  loadLibraries(options);
  kernels_ = kernelFilesOf(options, device_->target());
  tolerances_.read(options.tolerances);
  device_->setFlush(options.flush);
  if (options.inProcess) cache_.evict();  // elsewhere the supervisor has done so
  if (const auto bytes = streamedBytesOf(*device_, cache_)) device_->setStreamedBytes(*bytes);
  run_ = describe(*device_, options, cache_);
  run_.samples = options.samples;
  run_.recorded = options.recorded;
  if (options.tune) tunings_.emplace(cache_);
  if (options.races(Contender::Inductor))
    inductor_.emplace(inductorSettingsOf(options, run_.environment.torch, processors_), device_->target(), cache_);
  notFenced_ = isFenced(options) ? missingFences(hasFileFence_, fenceCalls()) : whyNotFenced(options);
}

Ready SampleRunner::ready() const {
  Ready ready{run_, device_->target(), {}};
  for (const std::string& complaint : {cache_.complaint(), tunings_ ? tunings_->complaint() : ""})
    if (!complaint.empty()) ready.complaints.push_back(complaint);
  if (lock_.isHeldElsewhere())
    ready.complaints.push_back(fmt::format("another opbench uses {}; the times of both are unreliable", run_.device));
  return ready;
}

Finished SampleRunner::race(const Job& job) {
  Options options = options_;
  if (!job.retried.empty()) options.siblings = 0;  // ATen may have crashed on one
  const Bench bench{options,
                    run_,
                    *device_,
                    cache_,
                    tunings_ ? &*tunings_ : nullptr,
                    tolerances_,
                    config_,
                    job.compilation ? &*job.compilation : nullptr,
                    job.casesLeft,
                    inductor_ ? &*inductor_ : nullptr,
                    job.compilersOnGpu,
                    kernels_};
  const auto start = std::chrono::steady_clock::now();
  timeline_.add(takeSpans());  // of the start, before the first sample
  Row row = raceSample(job.sample, job.index, bench);
  writeCases(row, job.sample, bench);
  const std::vector<Span> spans = takeSpans();
  row.stageSeconds = secondsOf(spans);
  timeline_.add(spans, fmt::format("{}: {} {}", job.index, row.op, row.brief));
  row.wallSeconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  row.retried = job.retried;
  if (isOfFile(row.op, options_)) row.notFenced = notFenced_;
  if (job.doubt) confirm(row, *job.doubt);
  Finished finished;
  try {
    device_->synchronize();
  } catch (const ir::Error& error) {
    finished.lost = error.what();
    setLost(row.outcomes, finished.lost);
  }
  finished.lines = results::jsonLines(row, run_);
  return finished;
}

}  // namespace opbench
