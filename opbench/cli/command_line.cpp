#include "opbench/cli/command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "ir/error.h"
#include "opbench/cli/help/completion.h"
#include "opbench/compare/options.h"
#include "opbench/networks/options/model.h"
#include "opbench/networks/options/record.h"
#include "opbench/networks/options/rnn.h"
#include "opbench/networks/options/runner.h"
#include "opbench/profile/options.h"
#include "opbench/profile/tools.h"
#include "opbench/settings/number_option.h"
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

/// An option that is given once for each of its values. It does not take the words behind its value as more of them: they may be
/// a command, or what a command is given.
CLI::Option* addRepeatable(CLI::App& app, const std::string& name, std::vector<std::string>& values,
                           const std::string& description) {
  return app.add_option(name, values, description + "; repeatable")->expected(1)->take_all()->allow_extra_args(false);
}

/// A flag that takes a value as well, as operatorbench's do: `--flag`, `--flag False`, `--flag=no`.
template <typename Value>
void addSwitch(CLI::App& app, const std::string& name, Value& value, const std::string& description) {
  app.add_flag(name, value, description)->expected(0, 1)->type_name("[BOOL]");
}

/// The group of the options that are declared next.
void beginGroup(CLI::App& app, std::string_view name) { app.option_defaults()->group(std::string(name)); }

/// `a|b`
template <typename Words>
std::string oneOf(const Words& words) {
  return fmt::format("{}", fmt::join(words, "|"));
}

void declareSamples(CLI::App& app, Options& options, Texts& texts) {
  beginGroup(app, basicGroups[0]);
  addRepeatable(app, "--op", texts.ops,
                "Operators: an overload (aten.add.Tensor), a packet (aten.add, add), a glob ('*_backward*'), or all")
      ->type_name("OP,..");
  addRepeatable(app, "--suite", texts.suites, "Suites to read (default: all)")->type_name("torchbench|huggingface|timm,..");
  addRepeatable(app, "--inputs", texts.folders, "Read samples from this folder instead of a suite")->type_name("DIR");
  addRepeatable(app, "--inp-file", texts.files, "Read samples from this file instead of a suite")->type_name("FILE");
  addNumber(app, "--max-samples", options.maxSamples, "Most samples of each operator; 0 takes all")
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--dtype", texts.dtype, "Dtype of floating tensors; float16 is as recorded (default: float32)")
      ->type_name("float16|bfloat16|float32|float64");
}

void declareMoreSamples(CLI::App& app, Options& options, Texts& texts) {
  beginGroup(app, "More on samples");
  addRepeatable(app, "--filter", texts.filters, "Keep only operators that match one of these patterns, written as for --op")
      ->type_name("GLOB,..");
  addRepeatable(app, "--exclude", texts.excludes, "Exclude operators that match any of these patterns")->type_name("GLOB,..");
  app.add_option("--sample-mode", texts.sampleMode,
                 "Which samples: in file order, the most frequent, of every size and layout, or all whatever --max-samples says")
      ->type_name(oneOf(sampleModeNames()))
      ->capture_default_str();
  addNumber(app, "--start-idx", options.startIdx, "Samples of each operator to skip first")->capture_default_str();
  addSize(app, "--max-bytes", options.maxBytes, "Skip samples whose tensor arguments take more bytes; 0 is no limit")
      ->capture_default_str();
  app.add_option("--config", options.config, "YAML file: skips, slow operators, tolerances, per-operator limits")
      ->type_name("FILE");
  app.add_flag("--slow", options.slow, "Also race the operators that --config lists as slow");
  app.add_option("--data", texts.data, "Distribution of the inputs")
      ->type_name(oneOf(inputs::distributionNames()))
      ->capture_default_str();
  addNumber(app, "--seed", options.seed, "Seed of the inputs")->capture_default_str();
  app.add_flag("--channels-last", options.channelsLast, "Give 4-D tensors channels-last strides");
  addRepeatable(app, "--program", texts.programs, "The file of a model that samples name")->type_name("NAME=FILE");
  app.add_option("--compat", texts.compat, "Habits of another program (docs/operatorbench.md)")->type_name("operatorbench");
}

void declareRace(CLI::App& app, Options& options, Texts& texts) {
  beginGroup(app, basicGroups[1]);
  app.add_option("--device", options.device, "cpu, cuda or cuda:N (default: cuda if there is one, else cpu)")
      ->type_name("DEVICE");
  app.add_option("--contenders", texts.contenders, "What to race; the first is the baseline")
      ->type_name(oneOf(contenderNames()) + ",..")
      ->capture_default_str();
  app.add_option(
         "--load", options.libraries,
         "Load this shared library: the operators that it registers with TORCH_LIBRARY are contenders, as in "
         "--contenders eager,my::softmax, or all of its namespace by the names of ATen's, --contenders eager,my; repeatable")
      ->type_name("FILE");
  addRepeatable(
      app, "--kernel", options.kernels,
      "Compile this file of CUDA kernels, FILE.cu or FILE.cubin, which says how they are launched (docs/contenders.md): "
      "it is the contender kernel::FILE")
      ->type_name("FILE");
  addReal(app, "--precision", texts.precision,
          "Time a sample until the speedup's 95 % interval is narrower than this (default: 1)")
      ->type_name("PERCENT");
  addReal(app, "--max-time", options.maxSeconds,
          "Time a sample for at most this long by each measure, thrice as long on a busy CPU")
      ->type_name("SECONDS")
      ->capture_default_str();
  app.add_flag("--tune", options.tune, "Time several schedules of each kernel and race the fastest; the cache keeps the choice");
  app.add_flag("--no-timing", texts.noTiming, "Check results without timing them");
}

void declareMoreRace(CLI::App& app, Options& options, Texts& texts) {
  beginGroup(app, "More on races");
  addNumber(app, "--threads", options.threads, "CPU threads; 0 leaves the choice to ATen")->type_name("N")->capture_default_str();
  addNumber(app, "--repeats", options.repeats, "Time this many rounds of up to 100 runs instead, as operatorbench does");
  app.add_option("--flush", texts.flush, "How L2 is emptied before cold runs: write leaves dirty lines (default: write)")
      ->type_name("write|read");
  app.add_flag("--kernel-time", options.kernelTime, "Also measure kernel-only time with CUPTI (CUDA)");
  app.add_flag("--counters", options.counters,
               "Also read memory traffic, L2 hits, tensor cores, issue slots and stalls of each kernel with CUPTI (CUDA)");
  addSwitch(app, "--measure-nvfuser", texts.measureNvfuser, "Add torchscript to the contenders");
  addRepeatable(app, "--inductor-options", texts.inductorSettings, "Settings of the contender inductor, as max_autotune=1")
      ->type_name("NAME=VALUE,..");
  addRepeatable(app, "--fail-on", texts.failOn,
                "Exit with status 1 if the last of the other contenders is more than 5 % slower than this one on a sample")
      ->type_name("slower-than-NAME,..");
  app.add_flag("--any-precision", options.anyPrecision,
               "Divide times by each other though one contender computes with fewer digits, such as TF32 for f32");
  app.add_flag("--aa", options.isAA,
               "Race each contender against itself to measure the device's A/A noise, which later runs take into account");
  addRepeatable(app, "--schedule", options.schedules,
                "Race this schedule of a sample's loops, as --tune and --dump print it; one for each loop nest, '' for the rules")
      ->type_name("TEXT");
}

void declareChecks(CLI::App& app, Options& options, Texts& texts) {
  beginGroup(app, "Checks");
  addSwitch(app, "--accuracy-checking", texts.accuracyChecking,
            "Check results against eager and a float64 reference before timing (default)");
  app.add_flag("--no-accuracy-checking", texts.noAccuracyChecking, "Time without checking results");
  addNumber(app, "--siblings", options.siblings,
            "Check contenders on this many siblings of each sample too: other sizes and strides (default: 2 where contenders are "
            "the user's, and with --no-timing; else 0)")
      ->type_name("N");
  app.add_option("--tolerances", options.tolerances, "YAML file: tolerances and rules that replace the built-in ones")
      ->type_name("FILE");
  app.add_option("--fault", texts.fault)->group("");  // for tests of the checks: docs/accuracy.md
  app.add_option("--sanitize", options.sanitizer, "Check the samples under compute-sanitizer (CUDA)")
      ->type_name(oneOf(profile::sanitizerNames()));
  app.add_option("--cases", options.cases, "Folder for a reproducer of each wrong result (default: opbench-cases)")
      ->type_name("DIR");
  addNumber(app, "--max-cases", options.maxCases, "Most reproducers to write; 0 is no limit")
      ->type_name("N")
      ->capture_default_str();
  app.add_flag("--no-cases", texts.noCases, "Write no reproducers; wrong results name the command that writes one");
}

void declareSweeps(CLI::App& app, Options& options, Texts& texts) {
  beginGroup(app, "Long runs");
  app.add_flag("--resume", options.resume, "Continue the run in the --json file: race only what it lacks, report all");
  app.add_flag("--force", options.force, "Continue or merge though builds, torch, CUDA, drivers or devices differ");
  addRepeatable(app, "--devices", texts.devices, "GPUs that share the samples, as in 0,1,2,3")->type_name("N,..");
  app.add_option(
         "--shard", texts.shard,
         "Race shard I of N, from 1; `rank` takes it from RANK and WORLD_SIZE (default: the task of a Slurm job array, else all)")
      ->type_name("I/N");
  CLI::Option* partitions = addNumber(app, "--total-partitions", texts.partitions, "Number of shards (torchbench's spelling)");
  CLI::Option* partition =
      addNumber(app, "--partition-id", texts.partition, "Zero-based shard index (torchbench's spelling)")->type_name("I");
  partitions->needs(partition);
  partition->needs(partitions);
  addReal(app, "--timeout", options.timeout, "Give up on a sample after this long; 0 is no limit")
      ->type_name("SECONDS")
      ->capture_default_str();
  addReal(app, "--start-timeout", options.startTimeout,
          "Give up on a worker that has not opened its device after this long (default: as --timeout, at least 60)")
      ->type_name("SECONDS");
  addNumber(app, "--compilers", options.compilers,
            "Processes that compile samples ahead of time; 0 compiles each in its worker (default: by processors and samples)")
      ->type_name("N");
  app.add_flag("--in-process", options.inProcess, "Race in this process, for debuggers; a crash then ends the whole run");
}

/// Options of the processes that a run starts (sweep/workers): their program, where it is not this one, a worker's samples, and
/// the samples and calls they were selected from.
void declareWorkers(CLI::App& app, Options& options, Texts& texts) {
  beginGroup(app, "");
  app.add_option("--worker-program", options.workerProgram);
  app.add_option("--worker", texts.sweep)->expected(3)->delimiter(',');
  app.add_option("--selection", options.selection);
  app.add_option("--started", options.started);
  app.add_flag("--compiler", texts.isCompiler);
  app.add_flag("--reader", texts.isReader);
  app.add_flag("--recorder", texts.isRecorder);
  app.add_option("--processors", options.processors)->delimiter(',');
  app.add_option("--traces", texts.traces);              // how it profiles
  app.add_flag("--trace-memory", options.tracesMemory);  // as opbench model has it
  app.add_option("--cache-key", options.cache.keyFile);  // as its run has it
}

void declareNetworkRuns(CLI::App& app, Options& options) {
  beginGroup(app, "Networks");
  addNumber(app, "--nloops", options.runs, "Runs of each contender that count")->capture_default_str();
  addNumber(app, "--warmup", options.warmups, "Runs of each before, that do not count")->capture_default_str();
  app.add_flag("--no-memory,--no_memory", options.noMemory, "Measure neither memory nor the first run");
  app.add_flag("--check-groups", options.checksGroups,
               "Check each group of opbench's plan by itself too, on eager's values, and name the first that is wrong");
  app.add_flag("--cosine", options.cosine, "Results are right that point where the reference does (cosine from 0.99)");
}

void declareFormats(CLI::App& app, Options& options) {
  app.add_option("--dashboard", options.dashboard, "Write records for PyTorch's benchmark dashboard (schema v3) to this file")
      ->type_name("FILE");
  app.add_option("--junit", options.junit, "Write a JUnit test case for each sample and contender to this file")
      ->type_name("FILE");
  app.add_option("--html", options.html, "Write the report as a page for a browser to this file, while the run goes on as well")
      ->type_name("FILE");
  app.add_option("--samples-csv", options.samplesCsv, "Write a line of CSV for each sample and contender to this file")
      ->type_name("FILE");
}

void declareResults(CLI::App& app, Options& options, Texts& texts) {
  beginGroup(app, basicGroups[2]);
  app.add_flag("--list", texts.list,
               "List the operators and how many of their samples are generated, library calls or views, then exit");
  app.add_option("--json", options.json, "Write a JSON line for each sample and contender; - is standard output")
      ->type_name("FILE");
  app.add_option("--csv", options.csv,
                 "Write operatorbench's table to this file: the speedups of each operator; - is standard output")
      ->type_name("FILE");
  app.add_option("--dump", options.dump, "Write every compiler stage of every sample to this folder")->type_name("DIR");
  app.add_flag("--quiet", options.quiet, "Show only the final report");
}

void declareMoreResults(CLI::App& app, Options& options, Texts& texts) {
  beginGroup(app, "More on results");
  app.add_flag("--show-runs", options.showRuns, "Draw the times of each sample's runs as a histogram");
  app.add_option("--markdown", options.markdown, "With --list: write the table as markdown to this file")->type_name("FILE");
  declareFormats(app, options);
  beginGroup(app, "Cache of kernels");
  app.add_option("--cache", options.cache.folder, "Folder of compiled kernels and tuned schedules")->type_name("DIR");
  addSize(app, "--cache-size", options.cache.mostBytes,
          "Most bytes in the cache, least recently used entries go first; 0 is no limit (default: 4 GiB)");
  app.add_flag("--shared-cache", options.cache.isShared,
               "The cache belongs to a group whose members trust each other (docs/security.md)");
  app.add_flag("--no-cache", texts.noCache, "Compile everything and keep nothing");
}

void declareHelp(CLI::App& app, Texts& texts) {
  beginGroup(app, basicGroups[3]);
  app.set_help_flag("-h,--help", "Show the options that most people need, or those of a command");
  app.add_flag("--help-all", texts.helpAll, "Show all options");
  app.add_flag("--version", texts.version, "Show the version");
}

void declareConvert(CLI::App& app, Options& options) {
  CLI::App* verb = app.add_subcommand("convert", "Convert --json results to other formats");
  verb->add_option("RESULTS", options.results, "A --json results file")->required()->type_name("FILE");
  declareFormats(*verb, options);
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
void declareTexts(CLI::App& app, Texts& texts) {
  app.add_subcommand("man", "Print the manual page: opbench man | man -l -");
  CLI::App* completion = app.add_subcommand("completion", "Print a script by which a shell completes commands and options");
  completion->add_option("SHELL", texts.shell, "The shell")->required()->type_name(oneOf(shellNames()));
  completion->footer(
      "bash: eval \"$(opbench completion bash)\" in ~/.bashrc. zsh: opbench completion zsh >_opbench, in a folder of $fpath. "
      "fish: "
      "opbench completion fish >~/.config/fish/completions/opbench.fish.");
}

}  // namespace

void declareAll(CLI::App& app, Options& options, Texts& texts) {
  app.description(std::string(description));
  app.footer(std::string(footer));
  declareSamples(app, options, texts);
  declareRace(app, options, texts);
  declareResults(app, options, texts);
  declareHelp(app, texts);
  declareMoreSamples(app, options, texts);
  declareMoreRace(app, options, texts);
  declareChecks(app, options, texts);
  declareSweeps(app, options, texts);
  declareWorkers(app, options, texts);
  declareNetworkRuns(app, options);
  declareMoreResults(app, options, texts);
  beginGroup(app, "Options");
  app.add_subcommand("doctor", "Check this machine: devices, compilers, cache, suites")->fallthrough();
  declareShow(app, options.show);
  declareCompare(app, options.compare);
  declareConvert(app, options);
  declareMerge(app, options);
  declareRepro(app, options);
  declareProfile(app, options.profiling, options.rnn);
  declareRnn(app, options.rnn, options.warmups, options.runs);
  declareModel(app, options.model, options.tracesMemory);
  declareRecord(app, options.recording);
  declareTexts(app, texts);
}

void refuseUntaken(const CLI::App& app, std::string_view verb, const std::vector<std::string>& taken) {
  for (const CLI::Option* option : app.get_options())
    if (option->count() > 0 && std::find(taken.begin(), taken.end(), option->get_name()) == taken.end())
      ir::fail(ir::ErrorKind::Input, "{}: {} has no effect; of a race's options it takes {}", verb, option->get_name(),
               fmt::join(taken, ", "));
}

}  // namespace opbench
