#include "opbench/settings/race_options.h"

#include "ir/error.h"
#include "opbench/settings/device_name.h"

namespace opbench {
namespace {

using namespace kinds;
using ir::ErrorKind;
using ir::fail;
using O = Options;

/// `cuda:1` of `1`.
void readDevices(const Words& given, Options& options) {
  for (const std::string& word : splitAtCommas(given)) {
    const std::string device = word == "cpu" || word.starts_with("cuda") ? word : "cuda:" + word;
    if (!isDevice(device)) fail(ErrorKind::Input, "--devices must be GPU numbers, as in 0,1, got '{}'", word);
    options.devices.push_back(device);
  }
}

}  // namespace

std::vector<RaceOption> sweepOptions() {
  return {
      flag("--resume", &O::resume, "Continue the run in the --json file: race only what it lacks, report all"),
      flag("--force", &O::force, "Continue or merge though builds, torch, CUDA, drivers or devices differ"),
      repeatable("--devices", "GPUs that share the samples, as in 0,1,2,3", readDevices, untold).form("N,.."),
      wordOfRun("--shard",
                "Race shard I of N, from 1; `rank` takes it from RANK and WORLD_SIZE (default: the task of a Slurm job array, "
                "else all)")
          .form("I/N"),
      numberOfRun("--total-partitions", "Number of shards (torchbench's spelling)"),
      numberOfRun("--partition-id", "Zero-based shard index (torchbench's spelling)").form("I"),
      real("--timeout", &O::timeout, "Give up on a sample after this long; 0 is no limit")
          .form("SECONDS")
          .showsDefault()
          .atLeast(0, " (seconds)")
          .stays(),
      real("--start-timeout", &O::startTimeout,
           "Give up on a worker that has not opened its device after this long (default: as --timeout, at least 60)")
          .form("SECONDS")
          .atLeast(0, " (seconds)"),
      number("--compilers", &O::compilers,
             "Processes that compile samples ahead of time; 0 compiles each in its worker (default: by processors and samples)")
          .atLeast(0),
      flag("--in-process", &O::inProcess, "Race in this process, for debuggers; a crash then ends the whole run"),
  };
}

std::vector<RaceOption> formatOptions() {
  return {
      output("--dashboard", &O::dashboard, "Write records for PyTorch's benchmark dashboard (schema v3) to this file"),
      output("--junit", &O::junit, "Write a JUnit test case for each sample and contender to this file"),
      output("--html", &O::html, "Write the report as a page for a browser to this file, while the run goes on as well"),
      output("--samples-csv", &O::samplesCsv, "Write a line of CSV for each sample and contender to this file"),
  };
}

std::vector<RaceOption> resultOptions() {
  return {
      flagOfRun("--list", "List the operators and how many of their samples are generated, library calls or views, then exit"),
      output("--json", &O::json, "Write a JSON line for each sample and contender; - is standard output"),
      output("--csv", &O::csv, "Write operatorbench's table to this file: the speedups of each operator; - is standard output"),
      value("--dump", &O::dump, "Write every compiler stage of every sample to this folder").form("DIR").stays(),
      flag("--quiet", &O::quiet, "Show only the final report"),
  };
}

std::vector<RaceOption> helpOptions() {
  RaceOption help = flagOfRun("-h,--help", "");
  help.add = [](const std::string& name, CLI::App& app, Options&) {
    return app.set_help_flag(name, "Show the options that most people need, or those of a command");
  };
  return {help, flagOfRun("--help-all", "Show all options"), flagOfRun("--version", "Show the version")};
}

std::vector<RaceOption> moreResultOptions() {
  std::vector<RaceOption> options{
      flag("--show-runs", &O::showRuns, "Draw the times of each sample's runs as a histogram"),
      output("--markdown", &O::markdown, "With --list: write the table as markdown to this file"),
      output("--timeline", &O::timeline, "Write what workers and compilers did when to this file, as a Chrome trace"),
  };
  const std::vector<RaceOption> formats = formatOptions();
  options.insert(options.end(), formats.begin(), formats.end());
  return options;
}

std::vector<RaceOption> cacheOptions() {
  const auto folder = [](auto& options) -> decltype((options.cache.folder)) { return options.cache.folder; };
  const auto mostBytes = [](auto& options) -> decltype((options.cache.mostBytes)) { return options.cache.mostBytes; };
  const auto isShared = [](auto& options) -> decltype((options.cache.isShared)) { return options.cache.isShared; };
  return {
      value("--cache", folder, "Folder of compiled kernels and tuned schedules").form("DIR"),
      size("--cache-size", mostBytes,
           "Most bytes in the cache, least recently used entries go first; 0 is no limit (default: 4 GiB)")
          .atLeast(0),
      flag("--shared-cache", isShared, "The cache belongs to a group whose members trust each other (docs/security.md)"),
      flagOfRun("--no-cache", "Compile everything and keep nothing"),
  };
}

}  // namespace opbench
