#include "opbench/cli/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "ir/error.h"
#include "opbench/challenge/options.h"
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
#include "opbench/report/formats.h"
#include "opbench/select/suites.h"
#include "opbench/settings/device_name.h"
#include "opbench/settings/race_options.h"
#include "opbench/show/options.h"
#include "opbench/text/version.h"
#include "runtime/cpu/processors.h"

namespace opbench {
namespace {

using ir::ErrorKind;
using ir::fail;

constexpr std::pair<std::string_view, Verb> verbs[] = {
    {"doctor", Verb::Doctor},       {"compare", Verb::Compare}, {"convert", Verb::Convert}, {"merge", Verb::Merge},
    {"profile", Verb::Profile},     {"repro", Verb::Repro},     {"rnn", Verb::Rnn},         {"model", Verb::Model},
    {"challenge", Verb::Challenge}, {"cnn", Verb::Rnn},         {"record", Verb::Record},   {"show", Verb::Show}};

/// The words that an option was given; none where it was not.
std::vector<std::string> given(const CLI::App& app, const std::string& option) { return app.get_option(option)->results(); }

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

/// The command `model` of the program or of its verb `profile`; null where it is not given.
const CLI::App* givenModel(const CLI::App& app) {
  const CLI::App& owner = app.got_subcommand("profile") ? *app.get_subcommand("profile") : app;
  return owner.got_subcommand("model") ? owner.get_subcommand("model") : nullptr;
}

/// What `opbench model` races: on a CPU there are no CUDA graphs, and the runner compares one contender with eager.
void readModel(const CLI::App& app, const CLI::App& verb, const Environment& environment, Options& options) {
  constexpr double longTimeout = 900;  // seconds
  ModelOptions& model = options.model;
  options.source = Source::Models;
  if (model.isOnCpu) options.device = "cpu";
  model.runner.filters = given(app, "--filter");
  model.runner.excludes = given(app, "--exclude");
  options.filters.clear();
  options.excludes.clear();
  model.isHalf |= options.dtype == ir::DType::F16;
  model.isBfloat16 |= options.dtype == ir::DType::BF16;
  const bool hasContenders = app.count("--contenders") > 0;
  if (options.verb == Verb::Profile) refuseRunner(options, "profile");
  readRunner(options, hasContenders);
  const bool isOnCpu = wantedDevice(options, environment.hasCuda) == "cpu";
  readAutocast(verb, isOnCpu, model);
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

/// What `opbench compare` compares: files of results, or two builds, which are run with options of a race.
void readCompare(const CLI::App& app, const std::vector<std::string>& arguments, CompareOptions& compare) {
  constexpr std::array contradicting{"--list", "--resume", "--aa", "--sanitize", "--dump", "--cases"};
  readCompare(compare);
  for (const RaceOption& option : raceOptions()) {
    const std::string name(option.name());
    if (app.count(name) == 0) continue;
    if (compare.programs.empty()) fail(ErrorKind::Input, "compare: {} is an option of a race; it needs --run", name);
    if (option.output != nullptr)
      fail(ErrorKind::Input, "compare: every run would write the file of {}; --keep DIR keeps their results", name);
    if (std::find(contradicting.begin(), contradicting.end(), name) != contradicting.end())
      fail(ErrorKind::Input, "compare: --run cannot be combined with {}", name);
  }
  constexpr std::array racing{"compare", "model", "rnn"};
  for (const CLI::App* other : app.get_subcommands())
    if (std::find(racing.begin(), racing.end(), other->get_name()) == racing.end())
      fail(ErrorKind::Input, "compare: --run races samples, or networks of model, rnn and cnn, got the command '{}'",
           other->get_name());
  if (app.get_subcommands().size() > 1 && compare.programs.empty())
    fail(ErrorKind::Input, "compare: {} is raced by --run alone", app.get_subcommands().back()->get_name());
  compare.race = wordsBeside(*app.get_subcommand("compare"), arguments);
}

/// Refuses what would be profiled beside the models of `opbench profile model`.
void refuseBesideModels(const CLI::App& app) {
  const CLI::App& verb = *app.get_subcommand("profile");
  for (const char* name : {"--op", "--inputs", "--inp-file", "--suite", "--rnns"}) {
    const CLI::Option* option = verb.get_option_no_throw(name);
    if (option == nullptr) option = app.get_option(name);
    if (option->count() > 0) fail(ErrorKind::Input, "profile: {} and the command model both say what is profiled", name);
  }
}

/// What `opbench profile` runs: models or samples that are named, or networks, by default fastrnns' three.
void readProfile(const CLI::App& app, Options& options) {
  check(options.profiling);
  for (const CLI::App* other : app.get_subcommands())
    if (other->get_name() != "profile")
      fail(ErrorKind::Input, "profile: cannot be combined with the command '{}'; opbench profile model NAME profiles models",
           other->get_name());
  if (options.source == Source::Models) return refuseBesideModels(app);
  check(options.rnn);
  const bool ofNetworks = app.count("--op") == 0 && options.inputs.empty() && options.suites.empty();
  if (!ofNetworks) {
    const bool isTop = app.count("--sample-mode") == 0 || options.sampleMode == SampleMode::Top;
    if (app.count("--max-samples") == 0 && isTop) options.maxSamples = 1;
    return;
  }
  options.source = Source::Rnn;
  if (options.rnn.rnns.empty()) options.rnn.rnns = {"cudnn", "aten", "jit"};
  options.contenders = contendersOf(options.rnn);
  options.profiling.settings.label = labelOf(options.rnn);
}

/// The shard of the command line, or else of a job array's task.
void readShard(const CLI::App& app, const Schedulers& schedulers, Options& options) {
  const auto shard = app.get_option("--shard")->as<std::string>();
  const int partitions = app.get_option("--total-partitions")->as<int>();
  if (!shard.empty() && partitions != 0)
    fail(ErrorKind::Input, "--shard and --total-partitions both choose the shard; use one of them");
  if (shard == "rank")
    options.shard = shardOfRank(schedulers);
  else if (!shard.empty())
    options.shard = shardFromText(shard);
  else if (partitions != 0)
    options.shard = shardFromText(fmt::format("{}/{}", app.get_option("--partition-id")->as<int>() + 1, partitions));
  else {
    options.shard = shardOfArray(schedulers);
    options.isArrayTask = !schedulers.slurmTask.empty() && !schedulers.slurmCount.empty();
  }
}

/// The samples of a worker's sweep, and what they were selected from.
void readWorker(const CLI::App& app, Options& options) {
  if (app.count("--traces") > 0) options.profile = profileSettingsFrom(app.get_option("--traces")->as<std::string>());
  if (app.count("--worker") == 0) return;
  const auto sweep = app.get_option("--worker")->as<std::vector<int64_t>>();
  options.samples = static_cast<int>(sweep.at(0));
  options.recorded = {sweep.at(1), sweep.at(2)};
}

/// Refuses what contradicts itself.
void check(const Options& options) {
  if (!options.devices.empty() && (options.inProcess || !options.device.empty()))
    fail(ErrorKind::Input, "--devices cannot be combined with {}", options.inProcess ? "--in-process" : "--device");
  if (options.compilers.value_or(0) > 0 && options.inProcess)
    fail(ErrorKind::Input, "--compilers cannot be combined with --in-process");
  if (!options.timing)
    for (const auto& [isGiven, name] :
         {std::pair(!options.accuracyChecking && options.profile.folder.empty(), "--no-accuracy-checking"),
          std::pair(options.isAA, "--aa"), std::pair(options.kernelTime, "--kernel-time"),
          std::pair(options.counters, "--counters"), std::pair(options.tune, "--tune")})
      if (isGiven) fail(ErrorKind::Input, "--no-timing cannot be combined with {}", name);
  if (options.tune && !options.schedules.empty()) fail(ErrorKind::Input, "--schedule cannot be combined with --tune");
  if (options.siblings.value_or(0) > 0 && !options.accuracyChecking)
    fail(ErrorKind::Input, "--siblings cannot be combined with --no-accuracy-checking");
  if (const size_t most = 4 * runtime::allowedProcessors().size(); options.threads > static_cast<int>(most))
    fail(ErrorKind::Input, "--threads must be at most {} on this machine (four per processor), got {}", most, options.threads);
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
void readCache(const CLI::App& app, const Environment& environment, Options& options) {
  runtime::CacheSettings& cache = options.cache;
  if (cache.folder.empty()) cache.folder = defaultCache(environment);
  if (isOn(app, "--no-cache")) cache.folder.clear();
  if (options.verb == Verb::Work || options.verb == Verb::Compile) return;
  const std::string& shared = environment.sharedCache;
  if (!shared.empty() && shared != "0" && shared != "1")
    fail(ErrorKind::Input, "OPBENCH_SHARED_CACHE must be 0 or 1, got '{}'", shared);
  if (shared == "1") cache.isShared = true;
  if (cache.keyFile.empty()) cache.keyFile = defaultKey(environment);
}

Verb verbOf(const CLI::App& app) {
  const bool lists = isOn(app, "--list");
  for (const auto& [name, verb] : verbs) {
    if (!app.got_subcommand(std::string(name))) continue;
    if (isOn(app, "--recorder")) return Verb::Capture;
    const bool racesNetworks = verb == Verb::Rnn || verb == Verb::Model;
    return racesNetworks && lists ? Verb::List : verb;
  }
  if (app.count("--worker") > 0) return Verb::Work;
  if (isOn(app, "--compiler")) return Verb::Compile;
  if (isOn(app, "--reader")) return Verb::Read;
  return lists ? Verb::List : Verb::Race;
}

Options printing(std::string text) {
  Options options;
  options.verb = Verb::Print;
  options.text = std::move(text);
  return options;
}

/// Completes `options`, where CLI11 has put what it understood; nothing where their verb is not wanted.
std::optional<Options> completed(const CLI::App& app, const std::vector<std::string>& arguments, const Environment& environment,
                                 bool (*isWanted)(Verb), Options options) {
  if (isOn(app, "--help-all")) return printing(app.help());
  if (isOn(app, "--version")) return printing(versionText() + "\n");
  if (!app.remaining(true).empty()) refuseExtras(app, arguments);
  if (app.got_subcommand("man")) return printing(manualPage(declared(app), versionText()));
  if (app.got_subcommand("completion")) {
    const auto text = app.get_subcommand("completion")->get_option("SHELL")->as<std::string>();
    const auto shell = shellFromName(text);
    if (!shell) fail(ErrorKind::Input, "completion must be one of {}, got '{}'", fmt::join(shellNames(), ", "), text);
    return printing(completionScript(declared(app), *shell));
  }

  options.verb = verbOf(app);
  if (!isWanted(options.verb)) return std::nullopt;
  options.program = environment.program.string();
  options.arguments = arguments;
  options.suitesFolder = findSuites(environment);
  options.modelsFolder = findShared(environment, "models");
  options.python = environment.python.empty() ? "python3" : environment.python;
  for (const RaceOption& option : raceOptions()) option.readGiven(app, options);
  readWorker(app, options);
  if (options.verb != Verb::Compare) checkContenders(options, environment.isNamespace);  // which the builds do
  if (isOn(app, "--measure-nvfuser") && !options.races(Contender::Torchscript))
    options.contenders.push_back(Contender::Torchscript);
  options.namesContenders = app.count("--contenders") > 0;
  options.notSlowerThan = notSlowerThan(kinds::splitAtCommas(given(app, "--fail-on")), options.contenders);
  checkInductorSettings(options.inductorSettings);
  if (options.compat == Compat::Operatorbench)
    adoptOperatorbench(options, options, [&](const char* name) { return app.count(name) > 0; });
  const bool isRacedHere = options.verb != Verb::Compare;  // and not by the builds that are compared
  if (isRacedHere && app.got_subcommand("rnn")) {
    const bool isCnn = std::find(arguments.begin(), arguments.end(), "cnn") != arguments.end();  // the other name of the verb
    if (isCnn && app.get_subcommand("rnn")->count("--group") == 0) options.rnn.groups = {"cnns"};
    readRnn(app, options);
  }
  if (const CLI::App* model = givenModel(app); model != nullptr && isRacedHere) readModel(app, *model, environment, options);
  if (options.verb == Verb::Compare) readCompare(app, arguments, options.compare);
  if (options.verb == Verb::Show) check(options.show);
  if (options.verb == Verb::Challenge) check(options.challenge);
  if (app.got_subcommand("merge")) readRunnerReport(options.model.runner);
  if (app.got_subcommand("record")) readRecord(app, environment, options);
  constexpr std::array sharding{Verb::Race, Verb::Rnn, Verb::Model, Verb::Profile, Verb::Work, Verb::List};
  if (std::find(sharding.begin(), sharding.end(), options.verb) != sharding.end())
    readShard(app, environment.schedulers, options);
  if (isOn(app, "--accuracy-checking") && !options.accuracyChecking)
    fail(ErrorKind::Input, "--accuracy-checking and --no-accuracy-checking contradict each other");
  if (options.model.hasNoSpeed) options.timing = false;
  readCache(app, environment, options);
  if (options.cases.empty()) options.cases = "opbench-cases";
  if (isOn(app, "--no-cases") || options.fault) options.cases.clear();  // planted faults make no cases
  if (options.verb == Verb::Profile) readProfile(app, options);
  for (const RaceOption& option : raceOptions()) option.checkValue(app, options);
  check(options);
  return options;
}

}  // namespace

Options parseOptions(const std::vector<std::string>& arguments, const Environment& environment) {
  return *parseOptions(arguments, environment, [](Verb) { return true; });
}

std::optional<Options> parseOptions(const std::vector<std::string>& arguments, const Environment& environment,
                                    bool (*isWanted)(Verb)) {
  Options options;
  CLI::App app{"", "opbench"};
  app.allow_extras();
  app.formatter_fn([&](const CLI::App* asked, const std::string&, CLI::AppFormatMode) {
    return helpText(declared(*asked), isOn(app, "--help-all"), environment.columns);
  });
  declareAll(app, options);
  try {
    std::vector<std::string> words = withSeparator(arguments);
    std::reverse(words.begin(), words.end());
    app.parse(std::move(words));
    return completed(app, arguments, environment, isWanted, options);
  } catch (const CLI::CallForHelp&) {
    return printing(app.help());
  } catch (const CLI::ParseError& error) {
    refuseUsage(error);
  }
}

}  // namespace opbench
