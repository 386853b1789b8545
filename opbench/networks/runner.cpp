#include "opbench/networks/runner.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <regex>

#include "inputs/files.h"
#include "inputs/model_names.h"
#include "inputs/text/words.h"
#include "ir/error.h"
#include "opbench/networks/words.h"
#include "opbench/select/suite_config.h"
#include "opbench/settings/options.h"
#include "opbench/text/nearest.h"
#include "opbench/text/numbers.h"
#include "runtime/program/programs.h"

namespace opbench {
namespace {

using ir::ErrorKind;
using ir::fail;

constexpr const char* theRunner = "--accuracy, --performance or --dashboard";

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

/// A file of batches, `NAME,BATCH` a line.
std::map<std::string, int64_t> batchesFrom(const std::string& file) {
  constexpr size_t most = size_t{1} << 20;
  std::map<std::string, int64_t> batches;
  const std::string text = inputs::readText(file, {most, most});
  int number = 0;
  for (size_t begin = 0; begin < text.size(); ++number) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    const std::vector<std::string_view> words = inputs::split(line, ", \t\r");
    if (words.empty()) continue;
    const auto batch = words.size() == 2 ? wholeNumber(std::string(words[1])) : std::nullopt;
    if (!batch) fail(ErrorKind::Input, "{}:{}: expected NAME,BATCH, found '{}'", file, number + 1, line);
    requirePositive(fmt::format("{}:{}: the batch", file, number + 1), *batch);
    batches[inputs::modelNameOf(words[0])] = *batch;
  }
  return batches;
}

/// What has effect in the runner alone must not be said without it.
void refuseWithoutRunner(const RunnerOptions& runner) {
  for (const auto& [isGiven, name] :
       {std::pair(!runner.filters.empty(), "--filter"), std::pair(!runner.excludes.empty(), "--exclude"),
        std::pair(!runner.excludedNames.empty(), "--exclude-exact"), std::pair(!runner.only.empty(), "--only"),
        std::pair(!runner.batchSizeFile.empty(), "--batch-size-file"), std::pair(runner.isInference, "--inference"),
        std::pair(!runner.output.empty(), "--output")})
    if (isGiven) fail(ErrorKind::Input, "model: {} needs {}", name, theRunner);
}

}  // namespace

void declareRunnerReport(CLI::App& verb, RunnerOptions& options) {
  verb.add_flag("--accuracy", options.isAccuracy, "Torchbench's runner: check a contender against eager, in Dynamo's words");
  verb.add_flag("--performance", options.isPerformance, "Torchbench's runner: its speedup over eager, and its memory");
  verb.add_option("--output", options.output, "Runner: write Dynamo's CSV to this file")->type_name("FILE");
}

void readRunnerReport(RunnerOptions& runner) {
  runner.isOn = runner.isAccuracy || runner.isPerformance;
  if (runner.isAccuracy && runner.isPerformance) fail(ErrorKind::Input, "--accuracy and --performance contradict each other");
  if (!runner.isOn && !runner.output.empty()) fail(ErrorKind::Input, "--output needs --accuracy or --performance");
}

void declareRunner(CLI::App& verb, RunnerOptions& options) {
  declareRunnerReport(verb, options);
  verb.add_flag("--inference", options.isInference, "Runner: inference alone (the default; --training is training alone)");
  verb.add_option("--exclude-exact", options.excludedNames, "Runner: leave out the model of this name; repeatable")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false)
      ->type_name("NAME");
  verb.add_option("--only", options.only, "Runner: this model alone")->type_name("NAME");
  verb.add_option("--batch-size-file", options.batchSizeFile, "Runner: batches of models, NAME,BATCH a line")->type_name("FILE");
}

void readRunner(Options& options, bool hasContenders) {
  ModelOptions& model = options.model;
  RunnerOptions& runner = model.runner;
  runner.isOn = runner.isAccuracy || runner.isPerformance || !options.dashboard.empty();
  if (!runner.isOn) return refuseWithoutRunner(runner);
  if (runner.isAccuracy && runner.isPerformance) fail(ErrorKind::Input, "--accuracy and --performance contradict each other");
  if (runner.isInference && model.isTraining) fail(ErrorKind::Input, "model: --inference and --training contradict each other");
  if (!runner.only.empty() && !model.models.empty())
    fail(ErrorKind::Input, "model: --only and names of models contradict each other");
  if (!runner.only.empty()) model.models = {runner.only};
  if (model.isTraining) model.noInference = true;
  if (runner.isAccuracy) model.hasNoSpeed = options.noMemory = true;
  if (!runner.batchSizeFile.empty()) runner.batches = batchesFrom(runner.batchSizeFile);
  const bool hasTwo = options.contenders.size() > 1 && options.contenders.front() == Contender::Eager;
  if (hasContenders && !hasTwo)
    fail(ErrorKind::Input, "model: {} compare a contender with eager; use --contenders eager,NAME", theRunner);
}

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
