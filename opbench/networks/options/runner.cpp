#include "opbench/networks/options/runner.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "inputs/files.h"
#include "inputs/model_names.h"
#include "inputs/text/words.h"
#include "ir/error.h"
#include "opbench/networks/options/words.h"
#include "opbench/settings/options.h"
#include "opbench/settings/repeatable_option.h"
#include "opbench/text/numbers.h"

namespace opbench {
namespace {

using ir::ErrorKind;
using ir::fail;

constexpr const char* theRunner = "--accuracy, --performance or --dashboard";

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

/// An option that has effect in the runner alone; empty where none is given.
std::string_view givenOfRunner(const RunnerOptions& runner) {
  for (const auto& [isGiven, name] :
       {std::pair(!runner.filters.empty(), "--filter"), std::pair(!runner.excludes.empty(), "--exclude"),
        std::pair(!runner.excludedNames.empty(), "--exclude-exact"), std::pair(!runner.only.empty(), "--only"),
        std::pair(!runner.batchSizeFile.empty(), "--batch-size-file"), std::pair(runner.isInference, "--inference"),
        std::pair(!runner.output.empty(), "--output")})
    if (isGiven) return name;
  return "";
}

/// An option that asks for the runner; empty where none is given.
std::string_view askingForRunner(const Options& options) {
  const RunnerOptions& runner = options.model.runner;
  for (const auto& [isGiven, name] :
       {std::pair(runner.isAccuracy, "--accuracy"), std::pair(runner.isPerformance, "--performance"),
        std::pair(!options.dashboard.empty(), "--dashboard")})
    if (isGiven) return name;
  return "";
}

void declareModes(CLI::App& verb, RunnerOptions& options) {
  verb.add_flag("--accuracy", options.isAccuracy, "Torchbench's runner: check a contender against eager, in Dynamo's words");
  verb.add_flag("--performance", options.isPerformance, "Torchbench's runner: its speedup over eager, and its memory");
}

/// What the runner runs.
void declareChoice(CLI::App& verb, RunnerOptions& options) {
  verb.add_flag("--inference", options.isInference, "Runner: inference alone (the default; --training is training alone)");
  repeated(verb.add_option("--exclude-exact", options.excludedNames, "Runner: leave out the model of this name; repeatable"))
      ->type_name("NAME");
  verb.add_option("--only", options.only, "Runner: this model alone")->type_name("NAME");
  verb.add_option("--batch-size-file", options.batchSizeFile, "Runner: batches of models, NAME,BATCH a line")->type_name("FILE");
}

}  // namespace

void declareRunnerReport(CLI::App& verb, RunnerOptions& options) {
  declareModes(verb, options);
  verb.add_option("--output", options.output, "Runner: write Dynamo's CSV to this file")->type_name("FILE");
}

void readRunnerReport(RunnerOptions& runner) {
  runner.isOn = runner.isAccuracy || runner.isPerformance;
  if (runner.isAccuracy && runner.isPerformance) fail(ErrorKind::Input, "--accuracy and --performance contradict each other");
  if (!runner.isOn && !runner.output.empty()) fail(ErrorKind::Input, "--output needs --accuracy or --performance");
}

void declareRunner(CLI::App& verb, RunnerOptions& options) {
  declareRunnerReport(verb, options);
  declareChoice(verb, options);
}

void declareRefusedRunner(CLI::App& verb, RunnerOptions& options) {
  declareModes(verb, options);
  declareChoice(verb, options);
}

void refuseRunner(const Options& options, std::string_view verb) {
  for (const std::string_view name : {askingForRunner(options), givenOfRunner(options.model.runner)})
    if (!name.empty())
      fail(ErrorKind::Input, "{0}: {1} is of torchbench's runner, which opbench model has and opbench {0} has not", verb, name);
}

void readRunner(Options& options, bool hasContenders) {
  ModelOptions& model = options.model;
  RunnerOptions& runner = model.runner;
  runner.isOn = !askingForRunner(options).empty();
  if (const std::string_view name = givenOfRunner(runner); !runner.isOn && !name.empty())
    fail(ErrorKind::Input, "model: {} needs {}", name, theRunner);
  if (!runner.isOn) return;
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

}  // namespace opbench
