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
#include "opbench/settings/race_options.h"
#include "runtime/build/hash.h"

namespace opbench {
namespace {

using Words = std::vector<std::string>;

void addWords(std::string_view name, const std::string& value, Words& words) {
  words.insert(words.end(), {std::string(name), value});
}

/// The values of options in a line of quoted(), by the options' names; a flag's is empty.
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

std::vector<std::string> raceArguments(const RaceSettings& options) {
  Words words;
  for (const RaceOption& option : raceOptions())
    if (option.tell) option.tell(option.name(), options, words);
  return words;
}

std::vector<std::string> selectionArguments(const SelectionSettings& options) {
  Words words;
  if (options.source != Source::Files) return {};
  const auto addAll = [&](std::string_view name, const std::vector<std::string>& values) {
    if (!values.empty()) addWords(name, fmt::format("{}", fmt::join(values, ",")), words);
  };
  addAll("--suite", options.suites);
  for (const std::string& input : options.inputs) addWords("--inputs", input, words);
  addAll("--op", options.ops);
  addAll("--filter", options.filters);
  addAll("--exclude", options.excludes);
  addWords("--max-samples", std::to_string(options.maxSamples), words);
  addWords("--sample-mode", std::string(name(options.sampleMode)), words);
  addWords("--start-idx", std::to_string(options.startIdx), words);
  if (options.compat == Compat::Operatorbench) addWords("--compat", "operatorbench", words);
  return words;
}

std::vector<std::string> cacheArguments(const runtime::CacheSettings& settings) {
  if (settings.folder.empty()) return {"--no-cache"};
  std::vector<std::string> words{"--cache", settings.folder, "--cache-size", std::to_string(settings.mostBytes)};
  if (settings.isShared) words.emplace_back("--shared-cache");
  if (!settings.keyFile.empty()) words.insert(words.end(), {"--cache-key", settings.keyFile});
  return words;
}

std::string rulesDigest(const RaceSettings& options) {
  runtime::Digest all;
  bool isAny = !options.programs.empty() || !options.kernels.empty();
  for (const auto& [name, file] : options.programs) addProgram(name, file, all);
  for (const std::string& file : options.kernels) all.add(kernelContent(file));
  for (const RaceOption& option : raceOptions()) {
    if (option.input == nullptr || !option.tell) continue;
    const std::string& path = options.*option.input;
    all.add((path.empty() ? "" : inputs::readFile(path)) + '\0');
    isAny |= !path.empty();
  }
  return isAny ? all.text() : "";
}

std::vector<std::string> commandWords(const RaceSettings& options) {
  std::vector<std::string> words = raceArguments(options);
  if (!options.device.empty()) words.insert(words.begin() + 2, {"--device", options.device});
  return words;
}

std::string commandLine(const RaceSettings& options) { return quoted(commandWords(options)); }

std::string launcherOf(const std::filesystem::path& program) {
  const std::filesystem::path launcher = program.parent_path().parent_path() / program.filename();
  std::error_code error;
  return (std::filesystem::is_regular_file(launcher, error) ? launcher : program).string();
}

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
