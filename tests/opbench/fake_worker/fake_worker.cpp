// A worker, or a compiler, of a sweep that neither races nor compiles: it answers every job at once, as if all were fine, and
// causes the faults that are planned. It has no torch, which takes longer to start than a sweep of such samples.
//
// FAKE_WORKER is a folder by which a test steers it (tests/opbench/fake_bed.h): it waits with sample N while there is a file
// `hold-N`, and says so by a file `held-N`; a worker whose start removes a file `stop-N` never gets ready.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "inputs/sample.h"
#include "opbench/check/faults/process_fault_causes.h"
#include "opbench/process/channel.h"
#include "opbench/results/brief.h"
#include "opbench/results/write.h"
#include "opbench/settings/arguments.h"
#include "opbench/sweep/messages.h"
#include "opbench/text/version.h"

namespace {

using namespace opbench;
namespace fs = std::filesystem;

/// What its sweep says in its arguments.
class Arguments {
 public:
  Arguments(int count, char** words) : words_(words + 1, words + count) {}

  bool has(const std::string& name) const { return std::find(words_.begin(), words_.end(), name) != words_.end(); }
  /// The word after an option's name, or what follows its `=`.
  std::string valueOf(const std::string& name) const {
    for (size_t i = 0; i < words_.size(); ++i) {
      if (words_[i] == name && i + 1 < words_.size()) return words_[i + 1];
      if (words_[i].starts_with(name + "=")) return words_[i].substr(name.size() + 1);
    }
    return "";
  }
  /// raceArguments(): a sweep says them first, and then what its cache is.
  std::vector<std::string> ofRace() const {
    const auto isOfCache = [](const std::string& word) { return word == "--cache" || word == "--no-cache"; };
    return {words_.begin(), std::find_if(words_.begin(), words_.end(), isOfCache)};
  }

 private:
  std::vector<std::string> words_;
};

/// A device that does not tell its name is the same as any other where a sweep goes on.
Run runOf(const Arguments& arguments) {
  Run run;
  run.device = "cpu";
  run.ceilings = {.copy = 1e12, .read = 1e12, .flops = 1e13, .launchOverhead = 1e-7};
  run.dtype = "float32";
  run.threads = run.processors = 1;
  run.version = versionText();
  run.started = arguments.valueOf("--started");
  run.selection = arguments.valueOf("--selection");
  run.options = quoted(arguments.ofRace());
  run.shard = arguments.valueOf("--shard");
  long long samples = 0, calls = 0;
  std::sscanf(arguments.valueOf("--worker").c_str(), "%d,%lld,%lld", &run.samples, &samples, &calls);
  run.recorded = {samples, calls};
  run.contenders = {Contender::Eager, Contender::Opbench};
  return run;
}

Timing timingOf(double seconds) {
  Timing timing;
  timing.median = seconds;
  timing.p20 = 0.98 * seconds;
  timing.p80 = 1.05 * seconds;
  timing.interval = Interval{0.995 * seconds, 1.01 * seconds};
  timing.runs = 300;
  return timing;
}

Row rowOf(const Job& job, bool isOutOfMemory) {
  Row row;
  row.index = job.index;
  row.op = job.sample.op;
  row.sample = job.sample.recorded;
  row.brief = brief(job.sample);
  row.suite = job.sample.suite;
  row.file = job.sample.where.file;
  row.line = job.sample.where.line;
  row.count = job.sample.count;
  row.family = "pointwise";
  row.data = "normal";
  row.traffic = {inputs::argumentBytes(job.sample), inputs::argumentBytes(job.sample)};
  row.wallSeconds = 1e-3;
  row.retried = job.retried;
  row.measurement.emplace();
  row.outcomes.resize(2);
  for (Outcome& outcome : row.outcomes) {
    outcome.status = isOutOfMemory ? Status::Oom : Status::Ok;
    outcome.reason = isOutOfMemory ? "out of memory" : "";
    if (!isOutOfMemory) outcome.timing = timingOf(2e-6);
  }
  Outcome& generated = row.outcomes[1];
  generated.contender = Contender::Opbench;
  if (isOutOfMemory) return row;
  generated.kind = runtime::Kind::Generated;
  generated.kernels = 1;
  generated.schedule = "pointwise";
  generated.speedup = 1;
  generated.determinism = Determinism::Bitwise;
  generated.compileMs = 1;
  generated.precompileMiss = job.compilation ? job.compilation->failure : "";
  generated.isPrecompiled = job.compilation && job.compilation->failure.empty();
  return row;
}

const fs::path& folder() {
  static const fs::path path = std::getenv("FAKE_WORKER");
  return path;
}

void sleepBriefly() { std::this_thread::sleep_for(std::chrono::milliseconds(1)); }

void waitWhileHeld(int index) {
  const fs::path hold = folder() / fmt::format("hold-{}", index);
  if (!fs::exists(hold)) return;
  std::ofstream(folder() / fmt::format("held-{}", index)) << "";
  while (fs::exists(hold)) sleepBriefly();
}

void stopIfAsked() {
  for (const auto& entry : fs::directory_iterator(folder()))
    if (entry.path().filename().string().starts_with("stop-") && fs::remove(entry.path()))
      for (;;) ::pause();
}

void compile(Channel& channel, const std::vector<PlannedProcessFault>& faults) {
  if (!channel.receive()) return;  // the target
  while (const auto line = channel.receive()) {
    causeInCompiler(faults, jobOf(*line).index);
    Channel::send(toLine(Compiled(Compilation{1, false, "kernels", ""})));
  }
}

void race(Channel& channel, const Run& run, const std::vector<PlannedProcessFault>& faults) {
  stopIfAsked();
  Channel::send(toLine(Ready{run, {ir::Backend::Cpu, "fake", "", 32, 1, 1}, {}}));
  while (const auto line = channel.receive()) {
    const Job job = jobOf(*line);
    waitWhileHeld(job.index);
    causeOnHost(faults, job.index);
    const PlannedProcessFault huge{ProcessFault::HugeAllocation, job.index};
    const bool isOutOfMemory = std::find(faults.begin(), faults.end(), huge) != faults.end();
    Channel::send(toLine(Finished{results::jsonLines(rowOf(job, isOutOfMemory), run), ""}));
  }
}

}  // namespace

int main(int count, char** words) {
  const Arguments arguments(count, words);
  const auto faults = processFaultsFromText(arguments.valueOf("--fault")).value_or(std::vector<PlannedProcessFault>());
  Channel channel;
  arguments.has("--compiler") ? compile(channel, faults) : race(channel, runOf(arguments), faults);
}
