#include "opbench/sweep.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <optional>

#include "opbench/brief.h"
#include "opbench/pipeline.h"
#include "opbench/version.h"

namespace opbench {
namespace {

using Clock = std::chrono::steady_clock;

std::unique_ptr<runtime::Device> openDevice(const Options& options) {
  const std::string wanted = !options.device.empty() ? options.device : runtime::Device::cudaAvailable() ? "cuda" : "cpu";
  return runtime::Device::open(wanted, options.threads);
}

/// Where the device's spread is kept.
std::string spreadKey(const runtime::Device& device) { return measuredKey("spread 1", device); }

std::optional<double> knownSpread(const runtime::Device& device, const runtime::Cache& cache) {
  const auto text = cache.find(spreadKey(device));
  if (!text) return std::nullopt;
  const double spread = std::strtod(text->c_str(), nullptr);
  return spread > 0 ? std::optional(spread) : std::nullopt;
}

Run describe(runtime::Device& device, const Options& options, const runtime::Cache& cache) {
  Run run;
  run.device = device.torchName();
  run.deviceName = device.name();
  run.ceilings = ceilingsOf(device, cache);
  run.spread = knownSpread(device, cache);
  run.flush = options.flush;
  run.precision = options.precision;
  run.isSelfTest = options.selfTest;
  run.dtype = ir::torchName(options.dtype);
  run.seed = options.seed;
  run.threads = device.target().backend == ir::Backend::Cpu ? device.target().processors : 0;
  run.channelsLast = options.channelsLast;
  run.repeats = options.repeats;
  run.version = versionText();
  run.contenders = options.contenders;
  return run;
}

int longestOperator(const std::vector<inputs::Sample>& samples) {
  size_t longest = 0;
  for (const inputs::Sample& sample : samples) longest = std::max(longest, sample.op.size());
  return static_cast<int>(longest);
}

}  // namespace

Summary sweep(const std::vector<inputs::Sample>& samples, const Options& options, Reporter& reporter,
              const std::function<bool()>& interrupted) {
  const Tolerances tolerances(options.tolerances);
  const std::unique_ptr<runtime::Device> device = openDevice(options);
  const runtime::Cache cache(options.cache);
  device->setFlush(options.flush);
  Run run = describe(*device, options, cache);
  std::optional<runtime::Tunings> tunings;
  if (options.tune) tunings.emplace(options.cache);
  const Bench bench{options, run, *device, cache, tunings ? &*tunings : nullptr, tolerances};
  reporter.begin(run, static_cast<int>(samples.size()), longestOperator(samples));
  if (tunings && !tunings->complaint().empty()) reporter.complain(tunings->complaint());
  std::vector<Row> rows;
  const Clock::time_point start = Clock::now();
  for (const inputs::Sample& sample : samples) {
    if (interrupted()) break;
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    reporter.progress(static_cast<int>(rows.size()), sample.op + " " + brief(sample), seconds);
    rows.push_back(raceSample(sample, static_cast<int>(rows.size()) + 1, bench));
    reporter.row(rows.back());
  }
  Summary summary = summarize(rows, run);
  if (!summary.spreads.empty()) cache.put(spreadKey(*device), fmt::format("{}", summary.spreads.front().p95));
  reporter.end(summary);
  return summary;
}

}  // namespace opbench
