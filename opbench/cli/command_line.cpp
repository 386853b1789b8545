#include "opbench/cli/command_line.h"

#include <fmt/format.h>

#include <charconv>

#include "opbench/cli/numbers.h"

namespace opbench {
namespace {

/// Gives CLI11 a whole number in decimal digits, however it was written, and refuses what it would take for another one.
std::string readWholeNumber(std::string& text) {
  uint64_t natural = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, natural);
  if (error == std::errc() && stop == end) {
    text = std::to_string(natural);
    return "";
  }
  const auto number = wholeNumber(text);
  if (!number) return fmt::format("expected a whole number, found '{}'", text);
  text = std::to_string(*number);
  return "";
}

/// An option whose values are whole numbers.
template <typename Value>
CLI::Option* addNumber(CLI::App& app, const std::string& name, Value& value, const std::string& description) {
  return app.add_option(name, value, description)->transform(CLI::Validator(readWholeNumber, "", ""))->type_name("N");
}

void declareSamples(CLI::App& app, Options& options, Texts& texts) {
  app.add_option("--suite", texts.suites, "Suites to read: torchbench, huggingface, timm (default: all)")
      ->type_name("NAME")
      ->allow_extra_args(false);
  app.add_option("--inputs", texts.folders, "Read samples from this folder instead of a suite")
      ->type_name("DIR")
      ->allow_extra_args(false);
  app.add_option("--inp-file", texts.files, "Read samples from this file instead of a suite")
      ->type_name("FILE")
      ->allow_extra_args(false);
  app.add_option("--op", texts.ops,
                 "Operators: an overload (aten.add.Tensor), a packet (aten.add, add), a glob ('*_backward*'), or all")
      ->type_name("OP")
      ->allow_extra_args(false);
  app.add_option("--filter", texts.filters, "Of these, operators that match one of the patterns, written as for --op")
      ->type_name("GLOB")
      ->allow_extra_args(false);
  app.add_option("--exclude", texts.excludes, "... and none of these")->type_name("GLOB")->allow_extra_args(false);
  addNumber(app, "--max-samples", options.maxSamples, "Samples of each operator to take; 0 takes all")
      ->type_name("N")
      ->capture_default_str();
  app.add_option(
         "--sample-mode", texts.sampleMode,
         "Which: first (as read), top (most frequent), stratified (of all sizes and layouts), or all whatever --max-samples")
      ->type_name("MODE")
      ->capture_default_str();
  addNumber(app, "--start-idx", options.startIdx, "Samples of each operator to pass over first")->capture_default_str();
  app.add_option("--config", options.config, "What of the suites to skip, what is slow, tolerances and caps (YAML)")
      ->type_name("FILE");
  app.add_flag("--slow", options.slow, "Race what that file calls slow, too");
  app.add_option(
         "--shard", texts.shard,
         "Race the I-th of N parts that take about equally long, or that of RANK and WORLD_SIZE where it is `rank` (default: "
         "as a job array of Slurm says, else the whole)")
      ->type_name("I/N");
  CLI::Option* partitions = addNumber(app, "--total-partitions", texts.partitions, "The same, of so many parts ...");
  CLI::Option* partition = addNumber(app, "--partition-id", texts.partition, "... that of this number, from 0")->type_name("I");
  partitions->needs(partition);
  partition->needs(partitions);
  addNumber(app, "--max-bytes", options.maxBytes, "Skip samples whose tensor arguments take more bytes; 0 is no limit")
      ->type_name("N")
      ->capture_default_str();
}

void declareRace(CLI::App& app, Options& options, Texts& texts) {
  app.add_option("--dtype", texts.dtype, "float16 (as recorded), bfloat16, float32 or float64 (default: float32)")
      ->type_name("DTYPE");
  app.add_option("--device", options.device, "cpu, cuda or cuda:N (default: cuda if there is one, else cpu)")
      ->type_name("DEVICE");
  app.add_option("--devices", texts.devices, "CUDA devices that share the samples, as in 0,1,2,3")
      ->type_name("NUMBERS")
      ->allow_extra_args(false);
  app.add_option("--contenders", texts.contenders, "Who races: eager, opbench, torchscript; the first is the baseline")
      ->type_name("NAMES")
      ->capture_default_str();
  app.add_flag("--measure-nvfuser", texts.measureNvfuser, "Add torchscript to the contenders");
  app.add_option("--precision", texts.precision,
                 "Time a sample until its speedup's 95 % interval is narrower than this many percent (default: 1)")
      ->type_name("PERCENT");
  app.add_option("--max-time", options.maxSeconds, "... or for so many seconds by each measure")
      ->type_name("SECONDS")
      ->capture_default_str();
  addNumber(app, "--repeats", options.repeats, "Time so many rounds of up to 100 runs instead, as operatorbench does");
  app.add_option("--flush", texts.flush, "How L2 is emptied before cold runs: write (leaves it dirty) or read (default: write)")
      ->type_name("KIND");
  app.add_flag("--kernel-time", options.kernelTime, "Measure by CUPTI what the kernels take without their launch as well (CUDA)");
  app.add_flag("--self-test", options.selfTest,
               "Race each contender against itself, print how far two runs differ here, and call less than that the same");
  app.add_flag("--accuracy-checking", texts.accuracyChecking,
               "Compare results with eager's and a float64 reference before timing (default)");
  app.add_flag("--no-accuracy-checking", texts.noAccuracyChecking, "Time results as they are");
  app.add_option("--tolerances", options.tolerances, "Rules and tolerances that differ from the built-in ones (YAML)")
      ->type_name("FILE");
  app.add_option("--fault", texts.fault)->group("");  // for tests of the checks: docs/accuracy.md
  app.add_option("--timeout", options.timeout, "Seconds that a sample may take before it is given up; 0 is no limit")
      ->type_name("SECONDS")
      ->capture_default_str();
  app.add_option("--start-timeout", options.startTimeout,
                 "Seconds that a worker may take to open and measure its device (default: as --timeout, at least 60)")
      ->type_name("SECONDS");
  app.add_flag("--in-process", options.inProcess, "Race in this process, for debuggers: what a sample crashes is then the run");
  addNumber(app, "--compilers", options.compilers,
            "Processes that compile samples ahead of their turn; 0 compiles when it comes (default: as processors and samples "
            "allow)")
      ->type_name("N");
  // A worker's (sweep/worker.h): the sweep's samples, and the samples and calls they were selected from.
  app.add_option("--worker", texts.sweep)->expected(3)->delimiter(',')->group("");
  app.add_flag("--compiler", texts.isCompiler)->group("");
  app.add_option("--processors", options.processors)->delimiter(',')->group("");
  app.add_flag("--tune", options.tune,
               "Try a few schedules of each kernel on the sample and race with the fastest; what wins is kept in the cache");
  app.add_flag("--channels-last", options.channelsLast, "Give 4-D tensors channels-last strides");
  app.add_option("--data", texts.data,
                 "Distribution of the inputs: normal, uniform, small-int, zeros, positive, levels, specials")
      ->type_name("NAME")
      ->capture_default_str();
  addNumber(app, "--seed", options.seed, "Seed of the inputs")->capture_default_str();
  addNumber(app, "--threads", options.threads, "Threads on a CPU; 0 leaves the choice to ATen")
      ->type_name("N")
      ->capture_default_str();
}

void declareFormats(CLI::App& app, Options& options) {
  app.add_option("--dashboard", options.dashboard, "Write records of PyTorch's benchmark dashboard (schema v3) to this file")
      ->type_name("FILE");
  app.add_option("--junit", options.junit, "Write a JUnit test case for each sample and contender to this file")
      ->type_name("FILE");
}

void declareOutput(CLI::App& app, Options& options, Texts& texts) {
  app.add_flag("--list", texts.list, "List the operators of the samples and whether they are generated, and stop");
  app.add_option("--csv", options.csv, "Write operatorbench's columns to this file; - is standard output")->type_name("FILE");
  app.add_option("--json", options.json, "Write a JSON line for each sample and contender; - is standard output")
      ->type_name("FILE");
  app.add_flag("--quiet", options.quiet, "Show neither progress nor samples, only the report at the end");
  app.add_flag("--resume", options.resume, "Race only what the file of --json does not have yet, and report all");
  declareFormats(app, options);
  app.add_option("--cases", options.cases, "Folder below which the case of each wrong result is written (default: opbench-cases)")
      ->type_name("DIR");
  app.add_option("--max-cases", options.maxCases, "Cases to write at most; 0 is no limit")->type_name("N")->capture_default_str();
  app.add_flag("--no-cases", texts.noCases, "Write no cases; wrong results name the command that does");
  app.add_option("--dump", options.dump, "Write every stage of every sample below this folder")->type_name("DIR");
  app.add_option("--cache", options.cache.folder, "Folder of compiled kernels and of what --tune found")->type_name("DIR");
  app.add_flag("--shared-cache", options.cache.isShared,
               "The cache is a group's, whose members trust each other (docs/security.md)");
  app.add_option("--cache-size", options.cache.mostBytes,
                 "Bytes that the cache may hold; what was used least recently goes; 0 is no limit (default: 4 GiB)")
      ->type_name("BYTES");
  app.add_option("--cache-key", options.cache.keyFile)->group("");  // a worker's or compiler's, as its run has it
  app.add_flag("--no-cache", texts.noCache, "Compile everything anew and keep nothing");
  app.add_flag("--version", texts.version, "Print the version and stop");
  app.add_subcommand("doctor", "Print what this machine has and what is missing")->fallthrough();
}

void declareConvert(CLI::App& app, Options& options) {
  CLI::App* verb = app.add_subcommand("convert", "Write results that --json wrote in other formats");
  verb->add_option("RESULTS", options.results, "A file that --json wrote")->required();
  declareFormats(*verb, options);
}

void declareMerge(CLI::App& app, Options& options) {
  CLI::App* verb = app.add_subcommand("merge", "Join the results of a sweep's shards into one report");
  verb->fallthrough();
  verb->add_option("RESULTS", options.merged, "Files that --json wrote, each of another --shard of one sweep")->required();
  verb->footer(
      "--json, --csv, --junit, --dashboard and --quiet are as of a race.\n"
      "Exit status: 0 all fine; 1 a sample failed, or is in none of the files; 2 the files are not parts of one sweep.");
}

void declareRepro(CLI::App& app, Options& options) {
  CLI::App* verb = app.add_subcommand("repro", "Write a folder that repeats one sample by itself, and run it");
  verb->fallthrough();
  verb->add_option(
          "CASE", options.reproCase,
          "FILE:LINE, a line of results or of samples; a file with one sample; or a folder that --dump wrote for a sample")
      ->required();
  verb->add_option("--output", options.output, "The folder to write: new, empty or of an earlier case (default: repro-OPERATOR)")
      ->type_name("DIR");
  verb->footer(
      "It runs the sample with the options of its line of results, or with those given, and writes sample.txt and run.sh;\n"
      "driver.py with inputs/, which call eager ATen on the same data; and stages/, all that --dump writes.\n"
      "Exit status: 0 it fared as recorded; 1 it did not; 2 no such case; 3 no such device.");
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
}

}  // namespace opbench
