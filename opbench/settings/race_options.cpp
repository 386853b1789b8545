#include "opbench/settings/race_options.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "inputs/operator_name.h"
#include "ir/error.h"
#include "opbench/settings/device_name.h"
#include "opbench/settings/groups.h"

namespace opbench {
namespace {

using namespace kinds;
using ir::ErrorKind;
using ir::fail;
using O = Options;

/// The tools of NVIDIA's compute-sanitizer.
const std::vector<std::string> sanitizers{"memcheck", "racecheck", "initcheck", "synccheck"};

void readContenders(const Words& given, Options& options) {
  options.contenders.clear();
  for (const std::string& text : splitAtCommas(given)) options.contenders.emplace_back(text);
}

void tellContenders(std::string_view name, const RaceSettings& options, Words& words) {
  if (options.contenders != defaults().contenders)
    addWords(name, fmt::format("{}", fmt::join(namesOf(options.contenders), ",")), words);
}

RaceOption precision() {
  const auto read = [](const Words& given, Options& options) {
    double percent = 0;
    std::from_chars(given.front().data(), given.front().data() + given.front().size(), percent);
    options.precision = percent / 100;
  };
  const auto tell = [](std::string_view name, const RaceSettings& options, Words& words) {
    if (options.precision) addWords(name, fmt::format("{:.10g}", *options.precision * 100), words);
  };
  RaceOption option =
      word("--precision",
           "Time a sample until the speedup's 95 % interval is narrower than this (default: 1, or by the A/A noise)", read, tell);
  option.shape.emplace_back([](CLI::Option& each) { each.transform(CLI::Validator(readReal, "", "")); });
  return option.form("PERCENT").checks([](const Options& o) {
    if (o.precision && !(*o.precision > 0 && *o.precision < 1))
      fail(ErrorKind::Input, "--precision must be greater than 0 and less than 100 (percent), got {}", *o.precision * 100);
  });
}

void readFlush(const Words& given, Options& options) {
  if (given.front() != "write" && given.front() != "read")
    fail(ErrorKind::Input, "--flush must be write or read, got '{}'", given.front());
  options.flush = given.front() == "read" ? runtime::Flush::Read : runtime::Flush::Write;
}

void tellFlush(std::string_view name, const RaceSettings& options, Words& words) {
  if (options.flush == runtime::Flush::Read) addWords(name, "read", words);
}

/// A fault in the results of all samples (`zeros`), or process faults that happen to some (`segfault@3,hang@7`).
void readFaults(const Words& given, Options& options) {
  const std::string& text = given.front();
  if (const auto faults = processFaultsFromText(text))
    options.processFaults = *faults;
  else if (const auto fault = faultFromName(text))
    options.fault = fault;
  else if (!text.empty())
    fail(ErrorKind::Input, "--fault must be one of {}, got '{}'", fmt::join(faultNames(), ", "), text);
}

void tellFaults(std::string_view option, const RaceSettings& options, Words& words) {
  if (options.fault) addWords(option, std::string(name(*options.fault)), words);
  if (!options.processFaults.empty()) addWords(option, toText(options.processFaults), words);
}

std::vector<RaceOption> races() {
  return {
      value("--device", &O::device, "cpu, cuda or cuda:N (default: cuda if there is one, else cpu)")
          .form("DEVICE")
          .checks([](const Options& o) {
            if (!o.device.empty() && !isDevice(o.device))
              fail(ErrorKind::Input, "--device must be cpu, cuda or cuda:N, got '{}'", o.device);
          })
          .stays(),
      word("--contenders", "What to race; the first is the baseline", readContenders, tellContenders)
          .form(oneOf(contenderNames()) + ",..")
          .showsDefault(fmt::format("{}", fmt::join(namesOf(defaults().contenders), ","))),
      value("--load", &O::libraries,
            "Load this shared library: the operators that it registers with TORCH_LIBRARY are contenders, as in "
            "--contenders eager,my::softmax, or all of its namespace by the names of ATen's, --contenders eager,my; repeatable")
          .form("FILE"),
      repeatable("--kernel", &O::kernels,
                 "Compile this file of CUDA kernels, FILE.cu or FILE.cubin, which says how they are launched "
                 "(docs/contenders.md): it is the contender kernel::FILE")
          .form("FILE"),
      precision(),
      real("--max-time", &O::maxSeconds, "Time a sample for at most this long by each measure, thrice as long on a busy CPU")
          .form("SECONDS")
          .showsDefault()
          .checks([](const Options& o) {
            if (!(o.maxSeconds > 0)) fail(ErrorKind::Input, "--max-time must be greater than 0 (seconds), got {}", o.maxSeconds);
          }),
      flag("--tune", &O::tune, "Time several schedules of each kernel and race the fastest; the cache keeps the choice"),
      flag("--no-timing", &O::timing, "Check results without timing them"),
  };
}

std::vector<RaceOption> moreOnRaces() {
  return {
      repeatable("--reference", &O::references,
                 "Race samples of an operator that --load registers and ATen has not, against this reference: my::norm_reference "
                 "stands for the samples' my.norm, as does my.norm=my::slow")
          .form("NAME")
          .checks([](const Options& o) {
            for (const std::string& text : o.references) inputs::ownOperatorOf(text);
          }),
      number("--threads", &O::threads, "CPU threads; 0 leaves the choice to ATen").atLeast(0).showsDefault(),
      number("--repeats", &O::repeats, "Time this many rounds of up to 100 runs instead, as operatorbench does").atLeast(1),
      word("--flush", "How L2 is emptied before cold runs: write leaves dirty lines (default: write)", readFlush, tellFlush)
          .form("write|read"),
      flag("--kernel-time", &O::kernelTime, "Also measure kernel-only time with CUPTI (CUDA)"),
      flag("--counters", &O::counters,
           "Also read memory traffic, L2 hits, tensor cores, issue slots and stalls of each kernel with CUPTI (CUDA)"),
      flagOfRun("--measure-nvfuser", "Add torchscript to the contenders").takesBool(),
      list("--inductor-options", &O::inductorSettings, "Settings of the contender inductor, as max_autotune=1")
          .form("NAME=VALUE,.."),
      repeatable("--fail-on",
                 "Exit with status 1 if the last of the other contenders is more than 5 % slower than this one on a sample",
                 untold, untold)
          .form("slower-than-NAME,.."),
      flag("--any-precision", &O::anyPrecision,
           "Divide times by each other though one contender computes with fewer digits, such as TF32 for f32"),
      flag("--aa", &O::isAA,
           "Race each contender against itself to measure the device's A/A noise, which later runs take into account"),
      repeatable(
          "--schedule", &O::schedules,
          "Race this schedule of a sample's loops, as --tune and --dump print it; one for each loop nest, '' for the rules")
          .form("TEXT"),
  };
}

/// The flag says what is the default; its value may say otherwise.
RaceOption accuracyChecking() {
  const auto add = [](CLI::App& app, const std::string& name, bool& value, const std::string& text) {
    return app.add_flag(name, value, text);
  };
  return bound("--accuracy-checking", &O::accuracyChecking,
               "Check results against eager and a float64 reference before timing (default)", add)
      .takesBool()
      .stays();  // workers are told --no-accuracy-checking
}

std::vector<RaceOption> checksOfResults() {
  return {
      accuracyChecking(),
      flag("--no-accuracy-checking", &O::accuracyChecking, "Time without checking results"),
      number(
          "--siblings", &O::siblings,
          "Check contenders on this many siblings of each sample too: other sizes and strides (default: 2 where contenders are "
          "the user's, and with --no-timing; else 0)")
          .atLeast(0),
      input("--tolerances", &O::tolerances, "YAML file: tolerances and rules that replace the built-in ones"),
      value("--sanitize", &O::sanitizer, "Check the samples under compute-sanitizer (CUDA)")
          .form(oneOf(sanitizers))
          .checks([](const Options& o) {
            if (!o.sanitizer.empty() && std::find(sanitizers.begin(), sanitizers.end(), o.sanitizer) == sanitizers.end())
              fail(ErrorKind::Input, "--sanitize must be one of {}, got '{}'", fmt::join(sanitizers, ", "), o.sanitizer);
          }),
      value("--cases", &O::cases, "Folder for a reproducer of each wrong result (default: opbench-cases)").form("DIR").stays(),
      number("--max-cases", &O::maxCases, "Most reproducers to write; 0 is no limit").atLeast(0).showsDefault(),
      flagOfRun("--no-cases", "Write no reproducers; wrong results name the command that writes one"),
  };
}

/// What tests need (docs/accuracy.md), and what a worker of `opbench model` is told.
std::vector<RaceOption> hidden() {
  return {
      word("--fault", "", readFaults, tellFaults),
      flag("--trace-memory", &O::tracesMemory, ""),
  };
}

std::vector<RaceOption> networkRuns() {
  return {
      number("--nloops", &O::runs, "Runs of each contender that count").atLeast(1).showsDefault(),
      number("--warmup", &O::warmups, "Runs of each before, that do not count").atLeast(0).showsDefault(),
      flag("--no-memory,--no_memory", &O::noMemory, "Measure neither memory nor the first run"),
      repeatable("--without", &O::without,
                 fmt::format("Leave out this rewrite of networks, so that its gain can be measured: {}",
                             fmt::join(rewriteNames(), ", ")))
          .form("REWRITE")
          .checks([](const Options& o) {
            for (const std::string& name : o.without)
              if (std::find(rewriteNames().begin(), rewriteNames().end(), name) == rewriteNames().end())
                fail(ErrorKind::Input, "--without must be one of {}, got '{}'", fmt::join(rewriteNames(), ", "), name);
          }),
      flag("--check-groups", &O::checksGroups,
           "Check each group of opbench's plan by itself too, on eager's values, and name the first that is wrong"),
      flag("--cosine", &O::cosine, "Results are right that point where the reference does (cosine from 0.99)"),
  };
}

}  // namespace

const std::vector<std::string>& rewriteNames() {
  static const std::vector<std::string> names{"biases",      "channels-last", "equal-calls",  "joined-products",
                                              "padded-rows", "recomputation", "row-products", "tensor-lists"};
  return names;
}

const std::vector<RaceOption>& raceOptions() {
  static const std::vector<RaceOption> all = [] {
    std::vector<RaceOption> options;
    const auto add = [&](std::string_view group, std::vector<RaceOption> members) {
      for (RaceOption& option : members) options.emplace_back(std::move(option)).group = group;
    };
    add(basicGroups[0], sampleOptions());
    add(basicGroups[1], races());
    add(basicGroups[2], resultOptions());
    add(basicGroups[3], helpOptions());
    add("More on samples", moreSampleOptions());
    add("More on races", moreOnRaces());
    add("Checks", checksOfResults());
    add("", hidden());
    add("Long runs", sweepOptions());
    add("Networks", networkRuns());
    add("More on results", moreResultOptions());
    add("Cache of kernels", cacheOptions());
    return options;
  }();
  return all;
}

}  // namespace opbench
