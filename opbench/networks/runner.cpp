#include "opbench/networks/runner.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <regex>

#include "ir/error.h"
#include "opbench/networks/options/words.h"
#include "opbench/select/suite_config.h"
#include "opbench/text/nearest.h"
#include "runtime/program/programs.h"

namespace opbench {
namespace {

using ir::ErrorKind;
using ir::fail;

/// Whether a text has a match of any of these regular expressions, in any case.
bool isMatched(const std::string& text, const std::vector<std::regex>& patterns) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::regex& pattern) { return std::regex_search(text, pattern); });
}

std::vector<std::regex> patternsFrom(std::string_view option, const std::vector<std::string>& texts) {
  std::vector<std::regex> patterns;
  for (const std::string& text : texts) {
    try {
      patterns.emplace_back(text, std::regex::ECMAScript | std::regex::icase);
    } catch (const std::regex_error&) {
      fail(ErrorKind::Input, "{} '{}' is no regular expression", option, text);
    }
  }
  return patterns;
}

/// All models but those without their heads, which `--only-pretrain-model` is for: `bert_base_base` beside `bert_base`.
std::vector<std::string> wholeModels(const runtime::Programs& programs) {
  constexpr std::string_view headless = "_base";
  const std::vector<std::string> all = programs.names();
  std::vector<std::string> whole;
  for (const std::string& name : all) {
    const bool isHeadless =
        name.ends_with(headless) && std::binary_search(all.begin(), all.end(), name.substr(0, name.size() - headless.size()));
    if (!isHeadless) whole.push_back(name);
  }
  return whole;
}

}  // namespace

std::vector<std::string> modelsOf(const ModelOptions& options, const runtime::Programs& programs) {
  const RunnerOptions& runner = options.runner;
  std::vector<std::string> names;
  for (const std::string& word : wordsOf(options.models, ",")) names.push_back(modelName(word, programs));
  if (!runner.isOn) return names;
  if (names.empty()) names = wholeModels(programs);
  const std::vector<std::regex> kept = patternsFrom("--filter", runner.filters),
                                dropped = patternsFrom("--exclude", runner.excludes);
  std::vector<std::string> excluded;
  for (const std::string& word : runner.excludedNames) excluded.push_back(modelName(word, programs));
  std::erase_if(names, [&](const std::string& name) {
    const bool isExcluded = std::find(excluded.begin(), excluded.end(), name) != excluded.end();
    return isExcluded || isMatched(name, dropped) || !(kept.empty() || isMatched(name, kept));
  });
  if (names.empty()) fail(ErrorKind::Input, "model: --filter, --exclude and --exclude-exact leave no model");
  return names;
}

std::string unknownBatches(const RunnerOptions& runner, const runtime::Programs& programs) {
  std::vector<std::string> unknown;
  const std::vector<std::string> known = programs.names();
  for (const auto& [name, batch] : runner.batches)
    if (std::find(known.begin(), known.end(), name) == known.end()) unknown.push_back(name);
  if (unknown.empty()) return "";
  const std::string near = unknown.size() == 1 ? suggestion(nearest(unknown.front(), known)) : "";
  constexpr size_t mostNamed = 5;
  const std::vector<std::string> named(unknown.begin(),
                                       unknown.begin() + static_cast<std::ptrdiff_t>(std::min(unknown.size(), mostNamed)));
  return fmt::format("{}: there is no model {}{}{}", runner.batchSizeFile, fmt::join(named, ", "),
                     unknown.size() > mostNamed ? fmt::format(", and {} more", unknown.size() - mostNamed) : "", near);
}

ModelOptions optionsFor(const std::string& op, const ModelOptions& options, const SuiteConfig& config) {
  ModelOptions mine = options;
  const size_t first = op.find('.'), last = op.rfind('.');
  const auto ofFile = options.runner.batches.find(op.substr(first + 1, last - first - 1));
  if (ofFile != options.runner.batches.end()) mine.batchSizes = {ofFile->second};
  if (const auto batch = config.batchSize(op); batch && mine.batchSizes.empty()) mine.batchSizes = {*batch};
  if ((options.isHalf || options.isBfloat16) && config.forcesAutocast(op)) {
    mine.amp = options.isHalf ? "float16" : "bfloat16";
    mine.isHalf = mine.isBfloat16 = false;
    mine.dtype = "float32";
  } else if (options.isBfloat16 && config.forcesFloat16(op)) {
    mine.isHalf = true;
    mine.isBfloat16 = false;
  }
  return mine;
}

}  // namespace opbench
