#include "opbench/settings/arguments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <set>

#include "inputs/files.h"
#include "ir/error.h"
#include "runtime/build/hash.h"

namespace opbench {
namespace {

/// Command-line arguments, of which those of default value are left out.
class Arguments {
 public:
  explicit Arguments(const Options& options) : options_(options) {}

  /// `--name value`
  template <typename Value>
  void add(const char* name, Value Options::* field) {
    if (options_.*field != default_.*field) add(name, fmt::format("{}", options_.*field));
  }
  void add(const char* name, const std::string& value) { words_.insert(words_.end(), {name, value}); }
  void flag(const char* name, bool isSet) {
    if (isSet) words_.emplace_back(name);
  }
  std::vector<std::string> take() { return std::move(words_); }

 private:
  const Options& options_;
  const Options default_;
  std::vector<std::string> words_;
};

void addData(Arguments& arguments, const Options& options) {
  arguments.add("--dtype", std::string(ir::torchName(options.dtype)));
  arguments.add("--seed", &Options::seed);
  arguments.add("--threads", &Options::threads);
  arguments.flag("--channels-last", options.channelsLast);
  if (options.data != Options().data) arguments.add("--data", std::string(inputs::name(options.data)));
  arguments.add("--max-bytes", &Options::maxBytes);
  arguments.add("--config", &Options::config);
  arguments.flag("--slow", options.slow);
}

void addRace(Arguments& arguments, const Options& options) {
  if (options.flush == runtime::Flush::Read) arguments.add("--flush", std::string("read"));
  for (const auto& [name, file] : options.programs) arguments.add("--program", fmt::format("{}={}", name, file));
  arguments.flag("--tune", options.tune);
  for (const std::string& schedule : options.schedules) arguments.add("--schedule", schedule);
  if (options.contenders != Options().contenders)
    arguments.add("--contenders", fmt::format("{}", fmt::join(namesOf(options.contenders), ",")));
  for (const std::string& library : options.libraries) arguments.add("--load", library);
  for (const std::string& file : options.kernels) arguments.add("--kernel", file);
  for (const std::string& setting : options.inductorSettings) arguments.add("--inductor-options", setting);
  arguments.add("--repeats", &Options::repeats);
  if (options.precision != Options().precision) arguments.add("--precision", fmt::format("{:.10g}", options.precision * 100));
  arguments.add("--max-time", &Options::maxSeconds);
  arguments.add("--warmup", &Options::warmups);
  arguments.add("--nloops", &Options::runs);
  arguments.flag("--kernel-time", options.kernelTime);
  arguments.flag("--counters", options.counters);
  arguments.flag("--trace-memory", options.tracesMemory);
  arguments.flag("--any-precision", options.anyPrecision);
  arguments.flag("--aa", options.isAA);
  arguments.flag("--no-accuracy-checking", !options.accuracyChecking);
  if (options.siblings) arguments.add("--siblings", fmt::format("{}", *options.siblings));
  arguments.flag("--no-timing", !options.timing);
  arguments.flag("--no-memory", options.noMemory);
  arguments.flag("--cosine", options.cosine);
  arguments.flag("--check-groups", options.checksGroups);
  arguments.add("--tolerances", &Options::tolerances);
  if (options.fault) arguments.add("--fault", std::string(name(*options.fault)));
  if (!options.processFaults.empty()) arguments.add("--fault", toText(options.processFaults));
}

/// The values of options in a line of quoted(), by the options' names; those of a flag are empty.
std::map<std::string, std::string> valuesOf(std::string_view line) {
  std::map<std::string, std::string> values;
  std::string* current = nullptr;
  for (const std::string& word : unquoted(line)) {
    if (word.starts_with("--"))
      current = &values[word];
    else if (current != nullptr)
      *current += (current->empty() ? "" : " ") + quoted(word);
  }
  return values;
}

/// A file of kernels, and for a cubin the file beside it that says how its kernels are launched.
std::string kernelContent(const std::string& file) {
  constexpr size_t most = size_t{64} << 20;
  const std::filesystem::path path(file);
  std::string content = inputs::readFile(file, {most, most}) + '\0';
  if (path.extension() == ".cubin") content += inputs::readFile(std::filesystem::path(path).replace_extension(".yaml")) + '\0';
  return content;
}

/// The bytes of a program, which need not be text. What cannot be read has a row that says so.
void addProgram(const std::string& name, const std::string& file, runtime::Digest& digest) {
  digest.add(name + '\0');
  try {
    inputs::readPieces(file, [&](std::string_view piece) { digest.add(piece); });
  } catch (const ir::Error& error) {
    digest.add(error.what());
  }
  digest.add(std::string_view("\0", 1));
}

}  // namespace

std::vector<std::string> raceArguments(const Options& options) {
  Arguments arguments(options);
  addData(arguments, options);
  addRace(arguments, options);
  return arguments.take();
}

std::vector<std::string> selectionArguments(const Options& options) {
  Arguments arguments(options);
  if (options.source != Source::Files) return {};
  const auto addAll = [&](const char* name, const std::vector<std::string>& values) {
    if (!values.empty()) arguments.add(name, fmt::format("{}", fmt::join(values, ",")));
  };
  addAll("--suite", options.suites);
  for (const std::string& path : options.inputs) arguments.add("--inputs", path);
  addAll("--op", options.ops);
  addAll("--filter", options.filters);
  addAll("--exclude", options.excludes);
  arguments.add("--max-samples", std::to_string(options.maxSamples));
  arguments.add("--sample-mode", std::string(name(options.sampleMode)));
  arguments.add("--start-idx", std::to_string(options.startIdx));
  if (options.compat == Compat::Operatorbench) arguments.add("--compat", std::string("operatorbench"));
  return arguments.take();
}

std::vector<std::string> cacheArguments(const runtime::CacheSettings& settings) {
  if (settings.folder.empty()) return {"--no-cache"};
  std::vector<std::string> words{"--cache", settings.folder, "--cache-size", std::to_string(settings.mostBytes)};
  if (settings.isShared) words.emplace_back("--shared-cache");
  if (!settings.keyFile.empty()) words.insert(words.end(), {"--cache-key", settings.keyFile});
  return words;
}

std::string rulesDigest(const Options& options) {
  if (options.config.empty() && options.tolerances.empty() && options.programs.empty() && options.kernels.empty()) return "";
  runtime::Digest all;
  for (const auto& [name, file] : options.programs) addProgram(name, file, all);
  for (const std::string& file : options.kernels) all.add(kernelContent(file));
  for (const std::string& path : {options.config, options.tolerances})
    all.add((path.empty() ? "" : inputs::readFile(path)) + '\0');
  return all.text();
}

std::vector<std::string> commandWords(const Options& options) {
  std::vector<std::string> words = raceArguments(options);
  if (!options.device.empty()) words.insert(words.begin() + 2, {"--device", options.device});
  return words;
}

std::string commandLine(const Options& options) { return quoted(commandWords(options)); }

std::string quoted(const std::string& word) {
  const bool isPlain = !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char c) {
    return std::isalnum(c) || std::string_view("_-+=./:,@").find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (isPlain) return word;
  std::string result = "'";
  for (char c : word) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

std::string quoted(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + quoted(word);
  return line;
}

std::vector<std::string> unquoted(std::string_view line) {
  std::vector<std::string> words;
  bool isInWord = false, isQuoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (!isQuoted && c == ' ') {
      isInWord = false;
      continue;
    }
    if (!isInWord) words.emplace_back();
    isInWord = true;
    if (c == '\'')
      isQuoted = !isQuoted;
    else if (!isQuoted && c == '\\' && i + 1 < line.size())
      words.back() += line[++i];
    else
      words.back() += c;
  }
  return words;
}

std::string optionDifferences(std::string_view file, std::string_view now) {
  const std::map<std::string, std::string> before = valuesOf(file), after = valuesOf(now);
  std::set<std::string> names;
  for (const auto* values : {&before, &after})
    for (const auto& [name, value] : *values) names.insert(name);
  const auto textOf = [](const std::map<std::string, std::string>& values, const std::string& name) -> std::string {
    const auto found = values.find(name);
    if (found == values.end()) return "not given";
    return found->second.empty() ? "given" : found->second;
  };
  std::string text;
  for (const std::string& name : names)
    if (const std::string was = textOf(before, name), is = textOf(after, name); was != is)
      text += fmt::format("{}{} differs (file: {}; now: {})", text.empty() ? "" : ", ", name, was, is);
  return text;
}

}  // namespace opbench
