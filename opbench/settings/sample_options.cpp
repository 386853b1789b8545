#include "opbench/settings/race_options.h"

#include <fmt/ranges.h>

#include <map>

#include "ir/error.h"

namespace opbench {
namespace {

using namespace kinds;
using ir::ErrorKind;
using ir::fail;
using O = Options;

/// One of a few words, by their meanings. Error: Input, which lists them.
template <typename Meaning, typename Owner>
RaceOption named(std::string_view option, Meaning Owner::* member, std::optional<Meaning> (*from)(std::string_view),
                 const std::vector<std::string>& known, const std::string& text) {
  const auto read = [=](const Words& given, Options& options) {
    const auto meaning = from(given.front());
    if (!meaning) fail(ErrorKind::Input, "{} must be one of {}, got '{}'", option, fmt::join(known, ", "), given.front());
    options.*member = *meaning;
  };
  return word(option, text, read, telling(member)).form(oneOf(known)).showsDefault(std::string(name(defaults().*member)));
}

/// Patterns of operators.
RaceOption patterns(std::string_view option, Words O::* member, const std::string& text) {
  RaceOption result = list(option, member, text);
  result.check = [=](const CLI::Option& given, const Options& options) {
    if (options.source == Source::Models) return;  // they are regular expressions
    for (const std::string& one : given.results())
      if (splitAtCommas({one}).empty()) fail(ErrorKind::Input, "{} is empty; give an operator, a packet, a glob or all", option);
  };
  return result;
}

/// Files of samples are read before folders.
RaceOption samplesFrom(std::string_view option, bool isFolder, const std::string& text) {
  const auto read = [isFolder](const Words& given, Options& options) {
    options.inputs.insert(isFolder ? options.inputs.end() : options.inputs.begin(), given.begin(), given.end());
  };
  return repeatable(option, text, read, untold);
}

void readDType(const Words& given, Options& options) {
  static const std::map<std::string, std::string> otherNames{{"fp16", "float16"},  {"half", "float16"}, {"fp32", "float32"},
                                                             {"float", "float32"}, {"fp64", "float64"}, {"double", "float64"}};
  const std::string& text = given.front();
  if (text.empty()) return;
  const auto other = otherNames.find(text);
  const auto dtype = ir::dtypeFromTorchName(other == otherNames.end() ? text : other->second);
  const auto code = dtype ? dtype : ir::dtypeFromName(text);
  if (code != ir::DType::F16 && code != ir::DType::BF16 && code != ir::DType::F32 && code != ir::DType::F64)
    fail(ErrorKind::Input, "--dtype must be float16, bfloat16, float32 or float64, got '{}'", text);
  options.dtype = *code;
}

void tellDType(std::string_view name, const RaceSettings& options, Words& words) {
  addWords(name, std::string(ir::torchName(options.dtype)), words);
}

void readPrograms(const Words& given, Options& options) {
  for (const std::string& word : given) {
    const size_t equals = word.find('=');
    if (equals == 0 || equals == std::string::npos) fail(ErrorKind::Input, "--program must be NAME=FILE, got '{}'", word);
    options.programs[word.substr(0, equals)] = word.substr(equals + 1);
  }
}

void tellPrograms(std::string_view name, const RaceSettings& options, Words& words) {
  for (const auto& [model, file] : options.programs) addWords(name, fmt::format("{}={}", model, file), words);
}

void readCompat(const Words& given, Options& options) {
  if (given.front().empty()) return;
  if (given.front() != "operatorbench") fail(ErrorKind::Input, "--compat must be operatorbench, got '{}'", given.front());
  options.compat = Compat::Operatorbench;
}

}  // namespace

std::vector<RaceOption> sampleOptions() {
  return {
      patterns("--op", &O::ops,
               "Operators: an overload (aten.add.Tensor), a packet (aten.add, add), a glob ('*_backward*'), or all")
          .form("OP,.."),
      list("--suite", &O::suites, "Suites to read (default: all)").form("torchbench|huggingface|timm,.."),
      samplesFrom("--inputs", true, "Read samples from this folder instead of a suite").form("DIR"),
      samplesFrom("--inp-file", false, "Read samples from this file instead of a suite").form("FILE"),
      number("--max-samples", &O::maxSamples, "Most samples of each operator; 0 takes all").atLeast(0).showsDefault(),
      word("--dtype", "Dtype of floating tensors; float16 is as recorded (default: float32)", readDType, tellDType)
          .form("float16|bfloat16|float32|float64"),
  };
}

std::vector<RaceOption> moreSampleOptions() {
  return {
      patterns("--filter", &O::filters, "Keep only operators that match one of these patterns, written as for --op")
          .form("GLOB,.."),
      patterns("--exclude", &O::excludes, "Exclude operators that match any of these patterns").form("GLOB,.."),
      named("--sample-mode", &O::sampleMode, sampleModeFromName, sampleModeNames(),
            "Which samples: in file order, the most frequent, of every size and layout, or all whatever --max-samples says"),
      number("--start-idx", &O::startIdx, "Samples of each operator to skip first").atLeast(0).showsDefault(),
      size("--max-bytes", &O::maxBytes, "Skip samples whose tensor arguments take more bytes; 0 is no limit")
          .atLeast(0)
          .showsDefault(),
      input("--config", &O::config, "YAML file: skips, slow operators, tolerances, per-operator limits"),
      flag("--slow", &O::slow, "Also race the operators that --config lists as slow"),
      named("--data", &O::data, inputs::distributionFromName, inputs::distributionNames(), "Distribution of the inputs"),
      number("--seed", &O::seed, "Seed of the inputs").showsDefault(),
      flag("--channels-last", &O::channelsLast, "Give 4-D tensors channels-last strides"),
      repeatable("--program", "The file of a model that samples name", readPrograms, tellPrograms).form("NAME=FILE"),
      word("--compat", "Habits of another program (docs/operatorbench.md)", readCompat, untold).form("operatorbench"),
  };
}

}  // namespace opbench
