#include "opbench/sweep.h"

#include <algorithm>
#include <chrono>
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

Run describe(runtime::Device& device, const Options& options) {
  Run run;
  run.device = device.torchName();
  run.deviceName = device.name();
  run.copyBandwidth = device.copyBandwidth();
  run.dtype = ir::torchName(options.dtype);
  run.seed = options.seed;
  run.threads = device.target().backend == ir::Backend::Cpu ? device.target().processors : 0;
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
  const std::unique_ptr<runtime::Device> device = openDevice(options);
  const runtime::Cache cache(options.cache);
  const Run run = describe(*device, options);
  std::optional<runtime::Tunings> tunings;
  if (options.tune) tunings.emplace(options.cache);
  const Bench bench{options, run, *device, cache, tunings ? &*tunings : nullptr};
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
  Summary summary = summarize(rows, options.contenders);
  reporter.end(summary);
  return summary;
}

}  // namespace opbench
