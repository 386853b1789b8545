#include "opbench/cli/command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "ir/error.h"
#include "opbench/challenge/options.h"
#include "opbench/cli/help/completion.h"
#include "opbench/compare/options.h"
#include "opbench/networks/options/model.h"
#include "opbench/networks/options/record.h"
#include "opbench/networks/options/rnn.h"
#include "opbench/networks/options/runner.h"
#include "opbench/profile/options.h"
#include "opbench/settings/race_options.h"
#include "opbench/show/options.h"

namespace opbench {
namespace {

constexpr std::string_view description =
    "Race generated kernels for ATen operators against eager ATen, on samples: operator calls as models make them.\n"
    "With no option: the suites, every operator, the most frequent samples of each.";

constexpr std::string_view footer =
    "Environment: OPBENCH_CACHE (folder of compiled kernels), OPBENCH_SHARED_CACHE (1: --shared-cache), "
    "OPBENCH_SUITES (folder of suites), OPBENCH_PYTHON (the Python of the contender inductor; default: python3), "
    "COLUMNS (width of the report), NO_COLOR and CLICOLOR_FORCE (colours), PAGER (of opbench show).\n"
    "Exit status: 0 all fine; 1 a result was wrong or a sample failed; 2 usage or unreadable input; 3 no such device.";

/// Options of the processes that a run starts (sweep/workers): their program, where it is not this one, a worker's samples, and
/// the samples and calls they were selected from.
void declareWorkers(CLI::App& app, Options& options) {
  app.option_defaults()->group("");
  app.add_option("--worker-program", options.workerProgram);
  app.add_option("--worker")->expected(3)->delimiter(',');
  app.add_option("--selection", options.selection);
  app.add_option("--started", options.started);
  app.add_flag("--compiler");
  app.add_flag("--reader");
  app.add_flag("--recorder");
  app.add_option("--processors", options.processors)->delimiter(',');
  app.add_option("--traces");                            // how it profiles
  app.add_option("--cache-key", options.cache.keyFile);  // as its run has it
  app.option_defaults()->group("Options");
}

void declareConvert(CLI::App& app, Options& options) {
  CLI::App* verb = app.add_subcommand("convert", "Convert --json results to other formats");
  verb->add_option("RESULTS", options.results, "A --json results file")->required()->type_name("FILE");
  for (const RaceOption& option : formatOptions()) option.declare(*verb, options);
}

void declareMerge(CLI::App& app, Options& options) {
  CLI::App* verb = app.add_subcommand("merge", "Merge the results of a sweep's shards into one report");
  verb->fallthrough();
  verb->add_option("RESULTS", options.merged, "The --json results files of the shards")->required()->type_name("FILE");
  declareRunnerReport(*verb, options.model.runner);
  verb->footer(
      "--json, --csv, --samples-csv, --junit, --dashboard, --html and --quiet work as in a race.\n"
      "Exit status: 0 all fine; 1 a sample failed or is missing; 2 the files are not shards of one sweep.");
}

void declareRepro(CLI::App& app, Options& options) {
  CLI::App* verb = app.add_subcommand("repro", "Write a folder that reproduces one sample, and run it");
  verb->fallthrough();
  verb->add_option("CASE", options.reproCase, "FILE:LINE of results or samples, a file with one sample, or a --dump folder")
      ->required()
      ->type_name("FILE");
  verb->add_option("--output", options.output, "Folder to write: new, empty or an earlier reproducer (default: repro-OPERATOR)")
      ->type_name("DIR");
  verb->footer(
      "Runs the sample with the options of its results line, or those given. Writes sample.txt and run.sh; driver.py with "
      "inputs/, which call eager ATen on the same data; and stages/, as --dump does.\n"
      "Exit status: 0 reproduced; 1 not reproduced; 2 no such sample; 3 no such device.");
}

/// Commands that print what is made of these declarations.
void declareTexts(CLI::App& app) {
  app.add_subcommand("man", "Print the manual page: opbench man | man -l -");
  CLI::App* completion = app.add_subcommand("completion", "Print a script by which a shell completes commands and options");
  const std::string shell = "The shell";
  completion->add_option("SHELL", shell)->required()->type_name(fmt::format("{}", fmt::join(shellNames(), "|")));
  completion->footer(
      "bash: eval \"$(opbench completion bash)\" in ~/.bashrc. zsh: opbench completion zsh >_opbench, in a folder of $fpath. "
      "fish: "
      "opbench completion fish >~/.config/fish/completions/opbench.fish.");
}

}  // namespace

void declareAll(CLI::App& app, Options& options) {
  app.description(std::string(description));
  app.footer(std::string(footer));
  for (const RaceOption& option : raceOptions()) option.declare(app, options);
  CLI::Option *partitions = app.get_option("--total-partitions"), *partition = app.get_option("--partition-id");
  partitions->needs(partition);
  partition->needs(partitions);
  declareWorkers(app, options);
  app.add_subcommand("doctor", "Check this machine: devices, compilers, cache, suites")->fallthrough();
  declareShow(app, options.show);
  declareCompare(app, options.compare);
  declareConvert(app, options);
  declareMerge(app, options);
  declareRepro(app, options);
  declareChallenge(app, options.challenge);
  declareProfile(app, options.profiling, options.rnn, options.model, options.tracesMemory);
  declareRnn(app, options.rnn, options.warmups, options.runs);
  declareModel(app, options.model, options.tracesMemory);
  declareRecord(app, options.recording);
  declareTexts(app);
}

bool isOn(const CLI::App& app, const std::string& flag) { return app.count(flag) > 0 && app.get_option(flag)->as<bool>(); }

void refuseUntaken(const CLI::App& app, std::string_view verb, const std::vector<std::string>& taken) {
  for (const CLI::Option* option : app.get_options())
    if (option->count() > 0 && std::find(taken.begin(), taken.end(), option->get_name()) == taken.end())
      ir::fail(ir::ErrorKind::Input, "{}: {} has no effect; of a race's options it takes {}", verb, option->get_name(),
               fmt::join(taken, ", "));
}

}  // namespace opbench
