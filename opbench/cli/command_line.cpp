#include "opbench/cli/command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "ir/error.h"
#include "opbench/cli/number_option.h"
#include "opbench/networks/runner.h"

namespace opbench {
namespace {

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

void declareSamples(CLI::App& app, Options& options, Texts& texts) {
  addRepeatable(app, "--suite", texts.suites, "Suites to read: torchbench, huggingface, timm (default: all)")
      ->type_name("NAME,..");
  addRepeatable(app, "--inputs", texts.folders, "Read samples from this folder instead of a suite")->type_name("DIR");
  addRepeatable(app, "--inp-file", texts.files, "Read samples from this file instead of a suite")->type_name("FILE");
  addRepeatable(app, "--op", texts.ops,
                "Operators: an overload (aten.add.Tensor), a packet (aten.add, add), a glob ('*_backward*'), or all")
      ->type_name("OP,..");
  addRepeatable(app, "--filter", texts.filters, "Keep only operators that match one of these patterns, written as for --op")
      ->type_name("GLOB,..");
  addRepeatable(app, "--exclude", texts.excludes, "Exclude operators that match any of these patterns")->type_name("GLOB,..");
  addNumber(app, "--max-samples", options.maxSamples, "Most samples of each operator; 0 takes all")
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--sample-mode", texts.sampleMode,
                 "Which samples: first (in file order), top (most frequent), stratified (every size and layout), or all (ignores "
                 "--max-samples)")
      ->type_name("MODE")
      ->capture_default_str();
  app.add_option("--compat", texts.compat, "Habits of another program: operatorbench (docs/operatorbench.md)")->type_name("NAME");
  addNumber(app, "--start-idx", options.startIdx, "Samples of each operator to skip first")->capture_default_str();
  app.add_option("--config", options.config, "YAML file: skips, slow operators, tolerances, per-operator limits")
      ->type_name("FILE");
  app.add_flag("--slow", options.slow, "Also race the operators that --config lists as slow");
  app.add_option(
         "--shard", texts.shard,
         "Race shard I of N, from 1; `rank` takes it from RANK and WORLD_SIZE (default: the task of a Slurm job array, else all)")
      ->type_name("I/N");
  CLI::Option* partitions = addNumber(app, "--total-partitions", texts.partitions, "Number of shards (torchbench's spelling)");
  CLI::Option* partition =
      addNumber(app, "--partition-id", texts.partition, "Zero-based shard index (torchbench's spelling)")->type_name("I");
  partitions->needs(partition);
  partition->needs(partitions);
  addSize(app, "--max-bytes", options.maxBytes, "Skip samples whose tensor arguments take more bytes; 0 is no limit")
      ->capture_default_str();
}

void declareRace(CLI::App& app, Options& options, Texts& texts) {
  app.add_option("--dtype", texts.dtype, "float16 (as recorded), bfloat16, float32 or float64 (default: float32)")
      ->type_name("DTYPE");
  app.add_option("--device", options.device, "cpu, cuda or cuda:N (default: cuda if there is one, else cpu)")
      ->type_name("DEVICE");
  addRepeatable(app, "--devices", texts.devices, "GPUs that share the samples, as in 0,1,2,3")->type_name("N,..");
  app.add_option("--contenders", texts.contenders, "What to race: eager, opbench, torchscript; the first is the baseline")
      ->type_name("NAMES")
      ->capture_default_str();
  app.add_option("--load", options.libraries,
                 "Load this shared library: the operators that it registers with TORCH_LIBRARY are contenders, as in "
                 "--contenders eager,my::softmax; repeatable")
      ->option_text("FILE");
  addSwitch(app, "--measure-nvfuser", texts.measureNvfuser, "Add torchscript to the contenders");
  addReal(app, "--precision", texts.precision,
          "Time a sample until the speedup's 95 % interval is narrower than this (default: 1)")
      ->type_name("PERCENT");
  addReal(app, "--max-time", options.maxSeconds,
          "Time a sample for at most this long by each measure, thrice as long on a busy CPU")
      ->type_name("SECONDS")
      ->capture_default_str();
  addNumber(app, "--nloops", options.runs, "Networks: runs of each contender that count")->capture_default_str();
  addNumber(app, "--warmup", options.warmups, "Networks: runs of each before, that do not count")->capture_default_str();
  addNumber(app, "--repeats", options.repeats, "Time this many rounds of up to 100 runs instead, as operatorbench does");
  app.add_option("--flush", texts.flush,
                 "How L2 is emptied before cold runs: write (leaves dirty lines) or read (default: write)")
      ->type_name("KIND");
  app.add_flag("--kernel-time", options.kernelTime, "Also measure kernel-only time with CUPTI (CUDA)");
  app.add_flag("--any-precision", options.anyPrecision,
               "Divide times by each other though one contender computes with fewer digits, such as TF32 for f32");
  app.add_flag("--aa", options.isAA,
               "Race each contender against itself to measure the device's A/A noise, which later runs take into account");
  addSwitch(app, "--accuracy-checking", texts.accuracyChecking,
            "Check results against eager and a float64 reference before timing (default)");
  app.add_flag("--no-accuracy-checking", texts.noAccuracyChecking, "Time without checking results");
  app.add_flag("--no-timing", texts.noTiming, "Check results without timing them");
  app.add_flag("--no-memory,--no_memory", options.noMemory, "Networks: measure neither memory nor the first run");
  app.add_flag("--cosine", options.cosine, "Networks: results are right that point where the reference does (cosine from 0.99)");
  app.add_option("--tolerances", options.tolerances, "YAML file: tolerances and rules that replace the built-in ones")
      ->type_name("FILE");
  app.add_option("--fault", texts.fault)->group("");  // for tests of the checks: docs/accuracy.md
  addReal(app, "--timeout", options.timeout, "Give up on a sample after this long; 0 is no limit")
      ->type_name("SECONDS")
      ->capture_default_str();
  addReal(app, "--start-timeout", options.startTimeout,
          "Give up on a worker that has not opened its device after this long (default: as --timeout, at least 60)")
      ->type_name("SECONDS");
  app.add_flag("--in-process", options.inProcess, "Race in this process, for debuggers; a crash then ends the whole run");
  app.add_option("--sanitize", options.sanitizer,
                 "Check the samples under compute-sanitizer: memcheck, racecheck, initcheck or synccheck (CUDA)")
      ->type_name("TOOL");
  addNumber(app, "--compilers", options.compilers,
            "Processes that compile samples ahead of time; 0 compiles each in its worker (default: by processors and samples)")
      ->type_name("N");
  // A worker's (sweep/worker.h): the sweep's samples, and the samples and calls they were selected from.
  app.add_option("--worker", texts.sweep)->expected(3)->delimiter(',')->group("");
  app.add_option("--selection", options.selection)->group("");
  app.add_option("--started", options.started)->group("");
  app.add_flag("--compiler", texts.isCompiler)->group("");
  app.add_option("--processors", options.processors)->delimiter(',')->group("");
  app.add_flag("--tune", options.tune, "Time several schedules of each kernel and race the fastest; the cache keeps the choice");
  addRepeatable(app, "--schedule", options.schedules,
                "Race this schedule of a sample's loops, as --tune and --dump print it; one for each loop nest, '' for the rules")
      ->type_name("TEXT");
  app.add_flag("--channels-last", options.channelsLast, "Give 4-D tensors channels-last strides");
  app.add_option("--data", texts.data,
                 "Distribution of the inputs: normal, uniform, small-int, zeros, positive, levels, specials")
      ->type_name("NAME")
      ->capture_default_str();
  addNumber(app, "--seed", options.seed, "Seed of the inputs")->capture_default_str();
  addNumber(app, "--threads", options.threads, "CPU threads; 0 leaves the choice to ATen")->type_name("N")->capture_default_str();
}

void declareFormats(CLI::App& app, Options& options) {
  app.add_option("--dashboard", options.dashboard, "Write records for PyTorch's benchmark dashboard (schema v3) to this file")
      ->type_name("FILE");
  app.add_option("--junit", options.junit, "Write a JUnit test case for each sample and contender to this file")
      ->type_name("FILE");
  app.add_option("--html", options.html, "Write the report as a page for a browser to this file, while the run goes on as well")
      ->type_name("FILE");
}

void declareOutput(CLI::App& app, Options& options, Texts& texts) {
  app.add_flag("--list", texts.list,
               "List the operators and how many of their samples are generated, library calls or views, then exit");
  app.add_option("--markdown", options.markdown, "With --list: write the table as markdown to this file")->type_name("FILE");
  app.add_option("--csv", options.csv, "Write operatorbench's columns to this file; - is standard output")->type_name("FILE");
  app.add_option("--json", options.json, "Write a JSON line for each sample and contender; - is standard output")
      ->type_name("FILE");
  app.add_flag("--quiet", options.quiet, "Show only the final report");
  app.add_flag("--resume", options.resume, "Continue the run in the --json file: race only what it lacks, report all");
  app.add_flag("--force", options.force, "Continue or merge though builds, torch, CUDA, drivers or devices differ");
  declareFormats(app, options);
  app.add_option("--cases", options.cases, "Folder for a reproducer of each wrong result (default: opbench-cases)")
      ->type_name("DIR");
  addNumber(app, "--max-cases", options.maxCases, "Most reproducers to write; 0 is no limit")
      ->type_name("N")
      ->capture_default_str();
  app.add_flag("--no-cases", texts.noCases, "Write no reproducers; wrong results name the command that writes one");
  app.add_option("--dump", options.dump, "Write every compiler stage of every sample to this folder")->type_name("DIR");
  app.add_option("--cache", options.cache.folder, "Folder of compiled kernels and tuned schedules")->type_name("DIR");
  app.add_flag("--shared-cache", options.cache.isShared,
               "The cache belongs to a group whose members trust each other (docs/security.md)");
  addSize(app, "--cache-size", options.cache.mostBytes,
          "Most bytes in the cache, least recently used entries go first; 0 is no limit (default: 4 GiB)");
  addRepeatable(app, "--program", texts.programs, "The file of a model that samples name")->type_name("NAME=FILE");
  app.add_option("--traces", texts.traces)->group("");              // a worker's: how it profiles
  app.add_flag("--trace-memory", options.tracesMemory)->group("");  // a worker's, as opbench model has it
  app.add_option("--cache-key", options.cache.keyFile)->group("");  // a worker's or compiler's, as its run has it
  app.add_flag("--no-cache", texts.noCache, "Compile everything and keep nothing");
  app.add_flag("--version", texts.version, "Print the version and exit");
  app.add_subcommand("doctor", "Check this machine: devices, compilers, cache, suites")->fallthrough();
}

void declareConvert(CLI::App& app, Options& options) {
  CLI::App* verb = app.add_subcommand("convert", "Convert --json results to other formats");
  verb->add_option("RESULTS", options.results, "A --json results file")->required();
  declareFormats(*verb, options);
}

void declareMerge(CLI::App& app, Options& options) {
  CLI::App* verb = app.add_subcommand("merge", "Merge the results of a sweep's shards into one report");
  verb->fallthrough();
  verb->add_option("RESULTS", options.merged, "The --json results files of the shards")->required();
  declareRunnerReport(*verb, options.model.runner);
  verb->footer(
      "--json, --csv, --junit, --dashboard, --html and --quiet work as in a race.\n"
      "Exit status: 0 all fine; 1 a sample failed or is missing; 2 the files are not shards of one sweep.");
}

void declareRepro(CLI::App& app, Options& options) {
  CLI::App* verb = app.add_subcommand("repro", "Write a folder that reproduces one sample, and run it");
  verb->fallthrough();
  verb->add_option("CASE", options.reproCase, "FILE:LINE of results or samples, a file with one sample, or a --dump folder")
      ->required();
  verb->add_option("--output", options.output, "Folder to write: new, empty or an earlier reproducer (default: repro-OPERATOR)")
      ->type_name("DIR");
  verb->footer(
      "Runs the sample with the options of its results line, or those given. Writes sample.txt and run.sh; driver.py with "
      "inputs/,\n"
      "which call eager ATen on the same data; and stages/, as --dump does.\n"
      "Exit status: 0 reproduced; 1 not reproduced; 2 no such sample; 3 no such device.");
}

}  // namespace

void declareAll(CLI::App& app, Options& options, Texts& texts) {
  declareSamples(app, options, texts);
  declareRace(app, options, texts);
  declareOutput(app, options, texts);
  declareCompare(app, options.compare);
  declareConvert(app, options);
  declareMerge(app, options);
  declareRepro(app, options);
  declareProfile(app, options.profiling, options.rnn);
  declareRnn(app, options.rnn, options.warmups, options.runs);
  declareModel(app, options.model, options.tracesMemory);
  declareRecord(app, options.recording);
}

void refuseUntaken(const CLI::App& app, std::string_view verb, const std::vector<std::string>& taken) {
  for (const CLI::Option* option : app.get_options())
    if (option->count() > 0 && std::find(taken.begin(), taken.end(), option->get_name()) == taken.end())
      ir::fail(ir::ErrorKind::Input, "{}: {} has no effect; of a race's options it takes {}", verb, option->get_name(),
               fmt::join(taken, ", "));
}

}  // namespace opbench
