#include "opbench/cli/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "inputs/text/words.h"
#include "ir/error.h"
#include "opbench/cli/command_line.h"
#include "opbench/cli/contender_options.h"
#include "opbench/cli/help/completion.h"
#include "opbench/cli/help/help.h"
#include "opbench/cli/help/manual.h"
#include "opbench/cli/usage.h"
#include "opbench/compare/options.h"
#include "opbench/compat/habits.h"
#include "opbench/inductor/request.h"
#include "opbench/networks/options/model.h"
#include "opbench/networks/options/record.h"
#include "opbench/networks/options/rnn.h"
#include "opbench/networks/options/runner.h"
#include "opbench/profile/options.h"
#include "opbench/profile/tools.h"
#include "opbench/report/formats.h"
#include "opbench/select/suites.h"
#include "opbench/settings/device_name.h"
#include "opbench/show/options.h"
#include "opbench/text/version.h"
#include "runtime/cpu/processors.h"

namespace opbench {
namespace {

using ir::ErrorKind;
using ir::fail;

constexpr std::pair<std::string_view, Verb> verbs[] = {
    {"doctor", Verb::Doctor},   {"compare", Verb::Compare}, {"convert", Verb::Convert}, {"merge", Verb::Merge},
    {"profile", Verb::Profile}, {"repro", Verb::Repro},     {"rnn", Verb::Rnn},         {"model", Verb::Model},
    {"cnn", Verb::Rnn},         {"record", Verb::Record},   {"show", Verb::Show}};

/// Splits at commas and drops empty parts.
std::vector<std::string> split(const std::vector<std::string>& texts) {
  std::vector<std::string> parts;
  for (const std::string& text : texts)
    for (const std::string_view part : inputs::split(text, ",")) parts.emplace_back(part);
  return parts;
}

std::vector<std::string> patternsOf(std::string_view option, const std::vector<std::string>& texts) {
  for (const std::string& text : texts)
    if (split({text}).empty()) fail(ErrorKind::Input, "{} is empty; give an operator, a packet, a glob or all", option);
  return split(texts);
}

/// Other names of dtypes that people use.
constexpr std::pair<std::string_view, std::string_view> dtypeNames[] = {{"fp16", "float16"}, {"half", "float16"},
                                                                        {"fp32", "float32"}, {"float", "float32"},
                                                                        {"fp64", "float64"}, {"double", "float64"}};

ir::DType dtypeOf(const std::string& text) {
  const auto* other =
      std::find_if(std::begin(dtypeNames), std::end(dtypeNames), [&](const auto& name) { return name.first == text; });
  const auto dtype = ir::dtypeFromTorchName(other == std::end(dtypeNames) ? text : std::string(other->second));
  const auto code = dtype ? dtype : ir::dtypeFromName(text);
  if (code == ir::DType::F16 || code == ir::DType::BF16 || code == ir::DType::F32 || code == ir::DType::F64) return *code;
  fail(ErrorKind::Input, "--dtype must be float16, bfloat16, float32 or float64, got '{}'", text);
}

/// The meaning of a word, an Input error that lists the known ones where it has none.
template <typename Meaning>
Meaning meaningOf(std::string_view option, const std::string& word, const std::optional<Meaning>& meaning,
                  const std::vector<std::string>& known) {
  if (!meaning) fail(ErrorKind::Input, "{} must be one of {}, got '{}'", option, fmt::join(known, ", "), word);
  return *meaning;
}

/// What `opbench rnn` races.
void readRnn(const CLI::App& app, Options& options) {
  options.source = Source::Rnn;
  constexpr double longTimeout = 900;  // seconds: a loop of a thousand steps, a hundred times over
  const bool wantsJson = app.get_subcommand("rnn")->count("--print-json") > 0;
  if (wantsJson && options.rnn.printJson.empty()) options.rnn.printJson = "oss";
  check(options.rnn);
  if (app.count("--contenders") > 0) fail(ErrorKind::Input, "rnn: creators are chosen by --rnns, not by --contenders");
  options.contenders = contendersOf(options.rnn);
  if (app.count("--timeout") == 0) options.timeout = longTimeout;
}

/// What `opbench model` races: on a CPU there are no CUDA graphs, and the runner compares one contender with eager.
void readModel(const CLI::App& app, const Texts& texts, const Environment& environment, Options& options) {
  constexpr double longTimeout = 900;  // seconds
  ModelOptions& model = options.model;
  options.source = Source::Models;
  if (model.isOnCpu) options.device = "cpu";
  model.runner.filters = texts.filters;
  model.runner.excludes = texts.excludes;
  model.isHalf |= options.dtype == ir::DType::F16;
  model.isBfloat16 |= options.dtype == ir::DType::BF16;
  const bool hasContenders = app.count("--contenders") > 0;
  readRunner(options, hasContenders);
  const bool isOnCpu = wantedDevice(options, environment.hasCuda) == "cpu";
  readAutocast(*app.get_subcommand("model"), isOnCpu, model);
  if (model.isVerbose && !options.tracesMemory) fail(ErrorKind::Input, "model: --verbose needs --trace-memory");
  check(model);
  options.programs = filesOf(model);
  options.freshWorkers = !model.sharesWorker;
  if (model.isHalf) options.dtype = ir::DType::F16;
  if (model.isBfloat16) options.dtype = ir::DType::BF16;
  model.isChannelsLast = options.channelsLast;
  if (!hasContenders) {
    const bool hasTwo = model.runner.isOn;
    options.contenders = {Contender::Eager};
    if (!hasTwo && !isOnCpu) options.contenders.emplace_back("graph");
    if (!hasTwo || !model.isTraced) options.contenders.push_back(Contender::Opbench);
    if (model.isTraced) options.contenders.push_back(Contender::Torchscript);
  }
  if (app.count("--timeout") == 0) options.timeout = longTimeout;
  if (app.count("--nloops") == 0) options.runs = runsOfRound * model.repeats;
  if (app.count("--warmup") == 0) options.warmups = 3;
}

/// What `opbench record` records.
void readRecord(const CLI::App& app, const Environment& environment, Options& options) {
  constexpr double longTimeout = 900;  // seconds
  if (options.verb == Verb::Record)
    refuseUntaken(app, "record", {"--device", "--dtype", "--seed", "--threads", "--program", "--timeout"});
  if (app.count("--timeout") == 0) options.timeout = longTimeout;
  readAutocast(*app.get_subcommand("record"), wantedDevice(options, environment.hasCuda) == "cpu", options.recording.model);
  check(options.recording);
  options.programs.merge(filesOf(options.recording.model));
  if (options.recording.model.isHalf) options.dtype = ir::DType::F16;
}

/// What `opbench profile` runs: samples that are named, or networks, by default fastrnns' three.
void readProfile(const CLI::App& app, const Texts& texts, Options& options) {
  check(options.profiling);
  check(options.rnn);
  const bool ofNetworks = texts.ops.empty() && options.inputs.empty() && options.suites.empty();
  if (!ofNetworks) {
    const bool isLeftOut = app.count("--max-samples") == 0 && texts.sampleMode == Texts().sampleMode;
    if (isLeftOut) options.maxSamples = 1;
    return;
  }
  options.source = Source::Rnn;
  if (options.rnn.rnns.empty()) options.rnn.rnns = {"cudnn", "aten", "jit"};
  options.contenders = contendersOf(options.rnn);
  options.profiling.settings.label = labelOf(options.rnn);
}

/// `NAME=FILE`, as a run passes it to its workers.
void addProgram(const std::string& word, std::map<std::string, std::string>& programs) {
  const size_t equals = word.find('=');
  if (equals == 0 || equals == std::string::npos) fail(ErrorKind::Input, "--program must be NAME=FILE, got '{}'", word);
  programs[word.substr(0, equals)] = word.substr(equals + 1);
}

/// A fault in the results of all samples (`zeros`), or process faults that happen to some (`segfault@3,hang@7`).
void readFault(const std::string& text, Options& options) {
  if (const auto faults = processFaultsFromText(text))
    options.processFaults = *faults;
  else if (!text.empty())
    options.fault = meaningOf("--fault", text, faultFromName(text), faultNames());
}

/// The shard of the command line, or else of a job array's task.
void readShard(const Texts& texts, const Schedulers& schedulers, Options& options) {
  if (!texts.shard.empty() && texts.partitions != 0)
    fail(ErrorKind::Input, "--shard and --total-partitions both choose the shard; use one of them");
  if (texts.shard == "rank")
    options.shard = shardOfRank(schedulers);
  else if (!texts.shard.empty())
    options.shard = shardFromText(texts.shard);
  else if (texts.partitions != 0)
    options.shard = shardFromText(fmt::format("{}/{}", texts.partition + 1, texts.partitions));
  else {
    options.shard = shardOfArray(schedulers);
    options.isArrayTask = !schedulers.slurmTask.empty() && !schedulers.slurmCount.empty();
  }
}

/// `cuda:1` of `1`.
std::vector<std::string> devicesOf(const Texts& texts) {
  std::vector<std::string> devices;
  for (const std::string& word : split(texts.devices)) {
    const std::string device = word == "cpu" || word.starts_with("cuda") ? word : "cuda:" + word;
    if (!isDevice(device)) fail(ErrorKind::Input, "--devices must be GPU numbers, as in 0,1, got '{}'", word);
    devices.push_back(device);
  }
  return devices;
}

runtime::Flush flushOf(const std::string& text) {
  if (text == "write") return runtime::Flush::Write;
  if (text == "read") return runtime::Flush::Read;
  fail(ErrorKind::Input, "--flush must be write or read, got '{}'", text);
}

void atLeast(std::string_view option, int64_t value, int64_t least) {
  if (value < least) fail(ErrorKind::Input, "{} must be at least {}, got {}", option, least, value);
}

void check(const Options& options) {
  atLeast("--warmup", options.warmups, 0);
  atLeast("--nloops", options.runs, 1);
  if (!(options.precision > 0 && options.precision < 1))
    fail(ErrorKind::Input, "--precision must be greater than 0 and less than 100 (percent), got {}", options.precision * 100);
  if (!(options.maxSeconds > 0))
    fail(ErrorKind::Input, "--max-time must be greater than 0 (seconds), got {}", options.maxSeconds);
  const auto& sanitizers = profile::sanitizerNames();
  if (!options.sanitizer.empty() && std::find(sanitizers.begin(), sanitizers.end(), options.sanitizer) == sanitizers.end())
    fail(ErrorKind::Input, "--sanitize must be one of {}, got '{}'", fmt::join(sanitizers, ", "), options.sanitizer);
  if (!options.devices.empty() && (options.inProcess || !options.device.empty()))
    fail(ErrorKind::Input, "--devices cannot be combined with {}", options.inProcess ? "--in-process" : "--device");
  if (!(options.timeout >= 0)) fail(ErrorKind::Input, "--timeout must be at least 0 (seconds), got {}", options.timeout);
  if (!(options.startTimeout.value_or(0) >= 0))
    fail(ErrorKind::Input, "--start-timeout must be at least 0 (seconds), got {}", *options.startTimeout);
  atLeast("--compilers", options.compilers.value_or(0), 0);
  if (options.compilers.value_or(0) > 0 && options.inProcess)
    fail(ErrorKind::Input, "--compilers cannot be combined with --in-process");
  if (!options.timing)
    for (const auto& [isGiven, name] : {std::pair(!options.accuracyChecking, "--no-accuracy-checking"),
                                        std::pair(options.isAA, "--aa"), std::pair(options.kernelTime, "--kernel-time"),
                                        std::pair(options.counters, "--counters"), std::pair(options.tune, "--tune")})
      if (isGiven) fail(ErrorKind::Input, "--no-timing cannot be combined with {}", name);
  if (options.tune && !options.schedules.empty()) fail(ErrorKind::Input, "--schedule cannot be combined with --tune");
  atLeast("--siblings", options.siblings.value_or(0), 0);
  if (options.siblings.value_or(0) > 0 && !options.accuracyChecking)
    fail(ErrorKind::Input, "--siblings cannot be combined with --no-accuracy-checking");
  atLeast("--max-samples", options.maxSamples, 0);
  atLeast("--start-idx", options.startIdx, 0);
  atLeast("--max-bytes", options.maxBytes, 0);
  atLeast("--threads", options.threads, 0);
  if (const size_t most = 4 * runtime::allowedProcessors().size(); options.threads > static_cast<int>(most))
    fail(ErrorKind::Input, "--threads must be at most {} on this machine (four per processor), got {}", most, options.threads);
  atLeast("--cache-size", options.cache.mostBytes, 0);
  atLeast("--max-cases", options.maxCases, 0);
  if (!options.device.empty() && !isDevice(options.device))
    fail(ErrorKind::Input, "--device must be cpu, cuda or cuda:N, got '{}'", options.device);
  if (options.csv == "-" && options.json == "-")
    fail(ErrorKind::Input, "--csv - and --json - cannot both write to standard output");
  if (options.resume && (options.json.empty() || options.json == "-"))
    fail(ErrorKind::Input, "--resume needs --json FILE, the results to continue");
  if (!options.markdown.empty() && options.verb != Verb::List)
    fail(ErrorKind::Input, "--markdown needs --list, or opbench compare");
  if (options.verb == Verb::Convert && !report::wantsFormats(options) && options.html.empty())
    fail(ErrorKind::Input, "convert: no output given; use --samples-csv FILE, --dashboard FILE, --junit FILE or --html FILE");
  if (!options.suites.empty() && !options.inputs.empty())
    fail(ErrorKind::Input, "--suite cannot be combined with --inputs or --inp-file; samples come from one place");
}

std::string defaultCache(const Environment& environment) {
  if (!environment.cache.empty()) return environment.cache;
  if (!environment.xdgCacheHome.empty()) return environment.xdgCacheHome + "/opbench/kernels";
  if (!environment.home.empty()) return environment.home + "/.cache/opbench/kernels";
  return "";
}

/// The path of the user's secret; empty where nothing says where the user's state is kept. A relative XDG_STATE_HOME does not
/// count.
std::string defaultKey(const Environment& environment) {
  if (environment.xdgStateHome.starts_with('/')) return environment.xdgStateHome + "/opbench/cache.key";
  if (!environment.home.empty()) return environment.home + "/.local/state/opbench/cache.key";
  return "";
}

/// Completes what the command line says of the cache. A worker or compiler has its run's settings, whatever the environment says.
void readCache(const Texts& texts, const Environment& environment, Options& options) {
  runtime::CacheSettings& cache = options.cache;
  if (cache.folder.empty()) cache.folder = defaultCache(environment);
  if (texts.noCache) cache.folder.clear();
  if (options.verb == Verb::Work || options.verb == Verb::Compile) return;
  const std::string& shared = environment.sharedCache;
  if (!shared.empty() && shared != "0" && shared != "1")
    fail(ErrorKind::Input, "OPBENCH_SHARED_CACHE must be 0 or 1, got '{}'", shared);
  if (shared == "1") cache.isShared = true;
  if (cache.keyFile.empty()) cache.keyFile = defaultKey(environment);
}

Verb verbOf(const CLI::App& app, const Texts& texts) {
  for (const auto& [name, verb] : verbs) {
    if (!app.got_subcommand(std::string(name))) continue;
    if (texts.isRecorder) return Verb::Capture;
    const bool racesNetworks = verb == Verb::Rnn || verb == Verb::Model;
    return racesNetworks && texts.list ? Verb::List : verb;
  }
  if (app.count("--worker") > 0) return Verb::Work;
  if (texts.isCompiler) return Verb::Compile;
  if (texts.isReader) return Verb::Read;
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
  return *parseOptions(arguments, environment, [](Verb) { return true; });
}

std::optional<Options> parseOptions(const std::vector<std::string>& arguments, const Environment& environment,
                                    bool (*isWanted)(Verb)) {
  Options options;
  Texts texts;
  CLI::App app{"", "opbench"};
  app.allow_extras();
  app.formatter_fn([&](const CLI::App* asked, const std::string&, CLI::AppFormatMode) {
    return helpText(declared(*asked), texts.helpAll, environment.columns);
  });
  declareAll(app, options, texts);
  try {
    std::vector<std::string> words = withSeparator(arguments);
    std::reverse(words.begin(), words.end());
    app.parse(std::move(words));
  } catch (const CLI::CallForHelp&) {
    return printing(app.help());
  } catch (const CLI::ParseError& error) {
    refuseUsage(error);
  }
  if (texts.helpAll) return printing(app.help());
  if (texts.version) return printing(versionText() + "\n");
  if (!app.remaining(true).empty()) refuseExtras(app, arguments);
  if (app.got_subcommand("man")) return printing(manualPage(declared(app), versionText()));
  if (app.got_subcommand("completion")) {
    const auto shell = meaningOf("completion", texts.shell, shellFromName(texts.shell), shellNames());
    return printing(completionScript(declared(app), shell));
  }

  options.verb = verbOf(app, texts);
  if (!isWanted(options.verb)) return std::nullopt;
  options.suites = split(texts.suites);
  options.inputs = texts.files;
  options.inputs.insert(options.inputs.end(), texts.folders.begin(), texts.folders.end());
  if (!texts.ops.empty()) options.ops = patternsOf("--op", texts.ops);
  if (!app.got_subcommand("model")) {  // of models these are regular expressions
    options.filters = patternsOf("--filter", texts.filters);
    options.excludes = patternsOf("--exclude", texts.excludes);
  }
  options.sampleMode = meaningOf("--sample-mode", texts.sampleMode, sampleModeFromName(texts.sampleMode), sampleModeNames());
  if (texts.sweep.size() == 3) {
    options.samples = static_cast<int>(texts.sweep[0]);
    options.recorded = {texts.sweep[1], texts.sweep[2]};
  }
  if (!texts.dtype.empty()) options.dtype = dtypeOf(texts.dtype);
  options.contenders = contendersOf(texts, !options.libraries.empty(), environment.isNamespace);
  options.namesContenders = app.count("--contenders") > 0;
  options.python = environment.python.empty() ? "python3" : environment.python;
  options.notSlowerThan = notSlowerThan(texts, options.contenders);
  options.inductorSettings = split(texts.inductorSettings);
  checkInductorSettings(options.inductorSettings);
  if (!texts.compat.empty() && texts.compat != "operatorbench")
    fail(ErrorKind::Input, "--compat must be operatorbench, got '{}'", texts.compat);
  if (!texts.compat.empty()) {
    options.compat = Compat::Operatorbench;
    adoptOperatorbench(options, [&](const char* name) { return app.count(name) > 0; });
  }
  const bool isCnn = std::find(arguments.begin(), arguments.end(), "cnn") != arguments.end();  // the other name of the verb
  if (app.got_subcommand("rnn") && isCnn && app.get_subcommand("rnn")->count("--group") == 0) options.rnn.groups = {"cnns"};
  if (app.got_subcommand("rnn")) readRnn(app, options);
  options.data = meaningOf("--data", texts.data, inputs::distributionFromName(texts.data), inputs::distributionNames());
  readFault(texts.fault, options);
  options.devices = devicesOf(texts);
  options.modelsFolder = findShared(environment, "models");
  for (const std::string& word : texts.programs) addProgram(word, options.programs);
  if (app.got_subcommand("model")) readModel(app, texts, environment, options);
  if (options.verb == Verb::Compare) readCompare(options.compare);
  if (options.verb == Verb::Show) check(options.show);
  if (app.got_subcommand("merge")) readRunnerReport(options.model.runner);
  if (app.got_subcommand("record")) readRecord(app, environment, options);
  constexpr std::array sharding{Verb::Race, Verb::Rnn, Verb::Model, Verb::Profile, Verb::Work, Verb::List};
  if (std::find(sharding.begin(), sharding.end(), options.verb) != sharding.end())
    readShard(texts, environment.schedulers, options);
  if (texts.accuracyChecking && texts.noAccuracyChecking)
    fail(ErrorKind::Input, "--accuracy-checking and --no-accuracy-checking contradict each other");
  if (app.count("--repeats") > 0) atLeast("--repeats", options.repeats, 1);
  options.precision = texts.precision / 100;
  options.flush = flushOf(texts.flush);
  options.accuracyChecking = app.count("--accuracy-checking") > 0 ? texts.accuracyChecking : !texts.noAccuracyChecking;
  options.timing = !texts.noTiming && !options.model.hasNoSpeed;
  readCache(texts, environment, options);
  if (options.cases.empty()) options.cases = "opbench-cases";
  if (texts.noCases || options.fault) options.cases.clear();  // planted faults make no cases
  options.program = environment.program.string();
  options.arguments = arguments;
  if (!texts.traces.empty()) options.profile = profileSettingsFrom(texts.traces);
  if (options.verb == Verb::Profile) readProfile(app, texts, options);
  options.suitesFolder = findSuites(environment);
  check(options);
  return options;
}

}  // namespace opbench
