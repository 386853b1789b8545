#include "opbench/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <ranges>
#include <utility>

#include "ir/error.h"
#include "opbench/nearest.h"
#include "opbench/suites.h"
#include "opbench/version.h"

namespace opbench {
namespace {

using ir::ErrorKind;
using ir::fail;

constexpr std::string_view description =
    "Races compiled ATen operators against eager ATen on samples recorded from real models.\n"
    "With no option: every suite, every operator, the 15 most frequent samples of each.";

constexpr std::string_view footer =
    "Environment: OPBENCH_CACHE (folder of compiled kernels), OPBENCH_SUITES (folder of suites).\n"
    "Exit status: 0 all fine; 1 a result was wrong or a sample failed; 2 usage or unreadable input; 3 no such device.";

constexpr std::pair<std::string_view, Verb> verbs[] = {{"doctor", Verb::Doctor},
                                                       {"compare", Verb::Compare},
                                                       {"convert", Verb::Convert},
                                                       {"merge", Verb::Merge},
                                                       {"repro", Verb::Repro}};

/// What is given as text and understood after CLI11 has split the command line, so that its messages are ours.
struct Texts {
  std::vector<std::string> suites, folders, files, ops, filters, excludes, devices;
  std::string shard, sampleMode = "top";
  std::vector<int64_t> sweep;
  int partitions = 0, partition = 0;
  std::string dtype, contenders = "eager,opbench", flush = "write", data = "normal", fault;
  double precision = 1;
  bool measureNvfuser = false, accuracyChecking = false, noAccuracyChecking = false, noCache = false, noCases = false,
       version = false, list = false;
};

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
  app.add_option("--max-samples", options.maxSamples, "Samples of each operator to take; 0 takes all")
      ->type_name("N")
      ->capture_default_str();
  app.add_option(
         "--sample-mode", texts.sampleMode,
         "Which: first (as read), top (most frequent), stratified (of all sizes and layouts), or all whatever --max-samples")
      ->type_name("MODE")
      ->capture_default_str();
  app.add_option("--start-idx", options.startIdx, "Samples of each operator to pass over first")
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--config", options.config, "What of the suites to skip, what is slow, tolerances and caps (YAML)")
      ->type_name("FILE");
  app.add_flag("--slow", options.slow, "Race what that file calls slow, too");
  app.add_option("--shard", texts.shard, "Race the I-th of N parts that take about equally long (default: as Slurm or RANK say)")
      ->type_name("I/N");
  CLI::Option* partitions =
      app.add_option("--total-partitions", texts.partitions, "The same, of so many parts ...")->type_name("N");
  CLI::Option* partition = app.add_option("--partition-id", texts.partition, "... that of this number, from 0")->type_name("I");
  partitions->needs(partition);
  partition->needs(partitions);
  app.add_option("--max-bytes", options.maxBytes, "Skip samples whose tensor arguments take more bytes; 0 is no limit")
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
  app.add_option("--repeats", options.repeats, "Time so many rounds of up to 100 runs instead, as operatorbench does")
      ->type_name("N");
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
  app.add_flag("--in-process", options.inProcess, "Race in this process, for debuggers: what a sample crashes is then the run");
  // A worker's (sweep/worker.h): the sweep's samples, and the samples and calls they were selected from.
  app.add_option("--worker", texts.sweep)->expected(3)->delimiter(',')->group("");
  app.add_flag("--tune", options.tune,
               "Try a few schedules of each kernel on the sample and race with the fastest; what wins is kept in the cache");
  app.add_flag("--channels-last", options.channelsLast, "Give 4-D tensors channels-last strides");
  app.add_option("--data", texts.data,
                 "Distribution of the inputs: normal, uniform, small-int, zeros, positive, levels, specials")
      ->type_name("NAME")
      ->capture_default_str();
  app.add_option("--seed", options.seed, "Seed of the inputs")->type_name("N")->capture_default_str();
  app.add_option("--threads", options.threads, "Threads on a CPU; 0 leaves the choice to ATen")
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
  app.add_flag("--no-cases", texts.noCases, "Write no cases; wrong results name the command that does");
  app.add_option("--dump", options.dump, "Write every stage of every sample below this folder")->type_name("DIR");
  app.add_option("--cache", options.cache, "Folder of compiled kernels and of what --tune found")->type_name("DIR");
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
  verb->add_option("--output", options.output, "The folder to write (default: repro-OPERATOR)")->type_name("DIR");
  verb->footer(
      "It runs the sample with the options of its line of results, or with those given, and writes sample.txt and run.sh;\n"
      "driver.py with inputs/, which call eager ATen on the same data; and stages/, all that --dump writes.\n"
      "Exit status: 0 it fared as recorded; 1 it did not; 2 no such case; 3 no such device.");
}

/// Splits at commas and drops empty parts.
std::vector<std::string> split(const std::vector<std::string>& texts) {
  std::vector<std::string> parts;
  for (const std::string& text : texts)
    for (size_t from = 0; from <= text.size();) {
      const size_t to = std::min(text.find(',', from), text.size());
      if (to > from) parts.push_back(text.substr(from, to - from));
      from = to + 1;
    }
  return parts;
}

std::vector<std::string> patternsOf(std::string_view option, const std::vector<std::string>& texts) {
  std::vector<std::string> patterns = split(texts);
  if (patterns.empty() && !texts.empty()) fail(ErrorKind::Input, "{} names no operator", option);
  return patterns;
}

ir::DType dtypeOf(const std::string& text) {
  const auto dtype = ir::dtypeFromTorchName(text);
  const auto code = dtype ? dtype : ir::dtypeFromName(text);
  if (code == ir::DType::F16 || code == ir::DType::BF16 || code == ir::DType::F32 || code == ir::DType::F64) return *code;
  fail(ErrorKind::Input, "--dtype is float16, bfloat16, float32 or float64, not '{}'", text);
}

/// The meaning of a word, an Input error that lists the known ones where it has none.
template <typename Meaning>
Meaning meaningOf(std::string_view option, const std::string& word, const std::optional<Meaning>& meaning,
                  const std::vector<std::string>& known) {
  if (!meaning) fail(ErrorKind::Input, "{} is one of {}, not '{}'", option, fmt::join(known, ", "), word);
  return *meaning;
}

std::vector<Contender> contendersOf(const Texts& texts) {
  std::vector<std::string> names = split({texts.contenders});
  if (texts.measureNvfuser && std::find(names.begin(), names.end(), "torchscript") == names.end()) names.push_back("torchscript");
  std::vector<Contender> contenders;
  for (const std::string& text : names) {
    const auto contender = contenderFromName(text);
    if (!contender) fail(ErrorKind::Input, "no contender '{}': there are {}", text, fmt::join(contenderNames(), ", "));
    if (std::find(contenders.begin(), contenders.end(), *contender) != contenders.end())
      fail(ErrorKind::Input, "contender '{}' is named twice", text);
    contenders.push_back(*contender);
  }
  if (contenders.empty()) fail(ErrorKind::Input, "--contenders names nobody: there are {}", fmt::join(contenderNames(), ", "));
  return contenders;
}

/// A fault in the results of all samples (`zeros`), or accidents that happen to some (`segfault@3,hang@7`).
void readFault(const std::string& text, Options& options) {
  if (const auto accidents = accidentsFromText(text))
    options.accidents = *accidents;
  else if (!text.empty())
    options.fault = meaningOf("--fault", text, faultFromName(text), faultNames());
}

bool isDevice(const std::string& text) {
  if (text.empty() || text == "cpu" || text == "cuda") return true;
  const std::string_view number = text.starts_with("cuda:") ? std::string_view(text).substr(5) : "";
  return !number.empty() && number.size() < 4 &&
         std::all_of(number.begin(), number.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// The shard of the command line, or else of a scheduler.
void readShard(const Texts& texts, const Schedulers& schedulers, Options& options) {
  if (!texts.shard.empty() && texts.partitions != 0) fail(ErrorKind::Input, "--shard and --total-partitions are the same");
  if (!texts.shard.empty())
    options.shard = shardFromText(texts.shard);
  else if (texts.partitions != 0)
    options.shard = shardFromText(fmt::format("{}/{}", texts.partition + 1, texts.partitions));
  else
    options.shard = shardOf(schedulers, options.shardBy);
}

/// `cuda:1` of `1`.
std::vector<std::string> devicesOf(const Texts& texts) {
  std::vector<std::string> devices;
  for (const std::string& word : split(texts.devices)) {
    const std::string device = word == "cpu" || word.starts_with("cuda") ? word : "cuda:" + word;
    if (!isDevice(device)) fail(ErrorKind::Input, "--devices are numbers, as in 0,1, not '{}'", word);
    devices.push_back(device);
  }
  return devices;
}

runtime::Flush flushOf(const std::string& text) {
  if (text == "write") return runtime::Flush::Write;
  if (text == "read") return runtime::Flush::Read;
  fail(ErrorKind::Input, "--flush is write or read, not '{}'", text);
}

void atLeast(std::string_view option, int64_t value, int64_t least) {
  if (value < least) fail(ErrorKind::Input, "{} is at least {}, not {}", option, least, value);
}

void check(const Options& options) {
  atLeast("--repeats", options.repeats, 0);
  if (!(options.precision > 0 && options.precision < 1))
    fail(ErrorKind::Input, "--precision is between 0 and 100 percent, not {}", options.precision * 100);
  if (!(options.maxSeconds > 0)) fail(ErrorKind::Input, "--max-time is more than 0 seconds, not {}", options.maxSeconds);
  if (!options.devices.empty() && (options.inProcess || !options.device.empty()))
    fail(ErrorKind::Input, "--devices cannot be combined with {}", options.inProcess ? "--in-process" : "--device");
  if (!(options.timeout >= 0)) fail(ErrorKind::Input, "--timeout is at least 0 seconds, not {}", options.timeout);
  atLeast("--max-samples", options.maxSamples, 0);
  atLeast("--start-idx", options.startIdx, 0);
  atLeast("--max-bytes", options.maxBytes, 0);
  atLeast("--threads", options.threads, 0);
  if (!isDevice(options.device)) fail(ErrorKind::Input, "--device is cpu, cuda or cuda:N, not '{}'", options.device);
  if (options.csv == "-" && options.json == "-") fail(ErrorKind::Input, "--csv - and --json - cannot both have standard output");
  if (options.resume && (options.json.empty() || options.json == "-"))
    fail(ErrorKind::Input, "--resume continues the file that --json names");
  if (options.verb == Verb::Convert && options.dashboard.empty() && options.junit.empty())
    fail(ErrorKind::Input, "convert to what? --dashboard FILE or --junit FILE");
  if (!options.suites.empty() && !options.inputs.empty())
    fail(ErrorKind::Input, "--suite cannot be combined with --inputs or --inp-file: samples come from one place or the other");
}

std::string defaultCache(const Environment& environment) {
  if (!environment.cache.empty()) return environment.cache;
  if (!environment.xdgCacheHome.empty()) return environment.xdgCacheHome + "/opbench/kernels";
  if (!environment.home.empty()) return environment.home + "/.cache/opbench/kernels";
  return "";
}

/// CLI11's message as the rest of our messages are written.
[[noreturn]] void usage(std::string message) {
  const bool isWord = message.size() > 1 && std::islower(static_cast<unsigned char>(message[1]));
  if (isWord) message[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(message[0])));
  fail(ErrorKind::Input, "{} (opbench --help lists the options)", message);
}

[[noreturn]] void unexpected(const CLI::App& app, const std::vector<std::string>& extras) {
  const std::string& first = extras.front();
  const auto chosen = app.get_subcommands();
  const CLI::App& asked = chosen.empty() ? app : *chosen.front();
  if (!first.starts_with('-') && !chosen.empty()) fail(ErrorKind::Input, "opbench {} takes no '{}'", asked.get_name(), first);
  if (!first.starts_with('-'))
    fail(ErrorKind::Input, "no verb '{}': there are {}; operators are named with --op", first,
         fmt::join(verbs | std::views::keys, ", "));
  std::vector<std::string> known;
  for (const CLI::Option* option : asked.get_options())
    for (const std::string& lname : option->get_lnames()) known.push_back("--" + lname);
  fail(ErrorKind::Input, "no option '{}'{} (opbench --help lists the options)", first, suggestion(nearest(first, known)));
}

Verb verbOf(const CLI::App& app, const Texts& texts) {
  for (const auto& [name, verb] : verbs)
    if (app.got_subcommand(std::string(name))) return verb;
  if (app.count("--worker") > 0) return Verb::Work;
  return texts.list ? Verb::List : Verb::Race;
}

Options printing(std::string text) {
  Options options;
  options.verb = Verb::Print;
  options.text = std::move(text);
  return options;
}

}  // namespace

Options parseOptions(const std::vector<std::string>& arguments, const Environment& environment) {
  Options options;
  Texts texts;
  CLI::App app{std::string(description), "opbench"};
  app.footer(std::string(footer));
  app.allow_extras();
  declareSamples(app, options, texts);
  declareRace(app, options, texts);
  declareOutput(app, options, texts);
  declareCompare(app, options.compare);
  declareConvert(app, options);
  declareMerge(app, options);
  declareRepro(app, options);
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp&) {
    return printing(app.help());
  } catch (const CLI::ParseError& error) {
    usage(error.what());
  }
  if (texts.version) return printing(versionText() + "\n");
  if (const auto extras = app.remaining(true); !extras.empty()) unexpected(app, extras);

  options.verb = verbOf(app, texts);
  options.suites = split(texts.suites);
  options.inputs = texts.files;
  options.inputs.insert(options.inputs.end(), texts.folders.begin(), texts.folders.end());
  if (!texts.ops.empty()) options.ops = split(texts.ops);
  if (options.ops.empty()) fail(ErrorKind::Input, "--op names no operator");
  options.filters = patternsOf("--filter", texts.filters);
  options.excludes = patternsOf("--exclude", texts.excludes);
  options.sampleMode = meaningOf("--sample-mode", texts.sampleMode, sampleModeFromName(texts.sampleMode), sampleModeNames());
  if (texts.sweep.size() == 3) {
    options.samples = static_cast<int>(texts.sweep[0]);
    options.recorded = {texts.sweep[1], texts.sweep[2]};
  }
  if (!texts.dtype.empty()) options.dtype = dtypeOf(texts.dtype);
  options.contenders = contendersOf(texts);
  options.data = meaningOf("--data", texts.data, inputs::distributionFromName(texts.data), inputs::distributionNames());
  readFault(texts.fault, options);
  options.devices = devicesOf(texts);
  if (options.verb == Verb::Race) readShard(texts, environment.schedulers, options);
  if (texts.accuracyChecking && texts.noAccuracyChecking)
    fail(ErrorKind::Input, "--accuracy-checking and --no-accuracy-checking contradict each other");
  options.precision = texts.precision / 100;
  options.flush = flushOf(texts.flush);
  options.accuracyChecking = !texts.noAccuracyChecking;
  if (options.cache.empty()) options.cache = defaultCache(environment);
  if (texts.noCache) options.cache.clear();
  if (options.cases.empty()) options.cases = "opbench-cases";
  if (texts.noCases || options.fault) options.cases.clear();  // what is broken on purpose is no case
  options.program = environment.program.string();
  options.suitesFolder = findSuites(environment);
  check(options);
  return options;
}

}  // namespace opbench
