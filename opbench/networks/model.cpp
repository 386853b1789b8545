#include "opbench/networks/model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "ir/error.h"
#include "opbench/cli/nearest.h"
#include "opbench/cli/number_option.h"
#include "opbench/measure/race.h"
#include "opbench/networks/words.h"
#include "runtime/program/extents.h"
#include "runtime/program/programs.h"
#include "runtime/torch/types.h"

namespace opbench {
namespace {

using ir::ErrorKind;
using ir::fail;

constexpr std::string_view modelFooter =
    "All options of a race work as well: --device, --dtype, --json, --resume, --seed, --threads, --no-timing and the others.\n"
    "Prints Hugging Face's tables, then percentiles, throughput, memory and energy. docs/models.md says more.\n"
    "Exit status: 0 all fine; 1 a result was wrong or failed; 2 usage; 3 no such device.";

bool isFile(const std::string& word) {
  return word.find('=') != std::string::npos || word.find_first_of("/.") != std::string::npos;
}

/// A model's word as a name and, where it is a file, its path.
std::pair<std::string, std::string> nameAndFile(const std::string& word) {
  if (!isFile(word)) return {word, ""};
  const size_t equals = word.find('=');
  const std::filesystem::path path = equals == std::string::npos ? word : word.substr(equals + 1);
  const std::string name = equals == std::string::npos ? path.stem().string() : word.substr(0, equals);
  return {runtime::programName(name), path.string()};
}

std::string argumentText(const runtime::ProgramInput& input, const std::vector<int64_t>& sizes) {
  return fmt::format("T([{}], {})", fmt::join(sizes, ", "), ir::name(runtime::dtypeOf(input.dtype)));
}

/// The keywords of a sample, those of default value left out.
std::string keywordText(const ModelOptions& options, bool isTraining) {
  std::vector<std::string> keywords;
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) keywords.push_back(fmt::format("'{}': '{}'", name, value));
  };
  if (options.isHalf) add("dtype", "float16");
  add("amp", options.amp);
  if (isTraining) add("loss", options.loss);
  if (isTraining) add("optimizer", options.optimizer);
  if (isTraining && !options.optimizer.empty()) add("optimizer_form", options.optimizerForm);
  return fmt::format("{{{}}}", fmt::join(keywords, ", "));
}

inputs::Sample sampleOf(const std::string& name, bool isTraining, const runtime::Program& program,
                        const std::vector<std::vector<int64_t>>& sizes, const ModelOptions& options) {
  std::vector<std::string> arguments;
  for (size_t i = 0; i < sizes.size(); ++i) arguments.push_back(argumentText(program.inputs()[i], sizes[i]));
  inputs::Sample sample;
  sample.op = fmt::format("model.{}.{}", name, isTraining ? "training" : "inference");
  sample.suite = "models";
  sample.recorded = fmt::format("(({},), {})", fmt::join(arguments, ", "), keywordText(options, isTraining));
  inputs::parseCall(sample.recorded, {"", 0}, 1, sample);
  return sample;
}

/// Whether a program reads tokens, and so has a sequence's length.
bool readsTokens(const runtime::Program& program) {
  return !program.inputs().empty() && !at::isFloatingType(program.inputs().front().dtype) &&
         program.inputs().front().dimensions.size() > 1;
}

/// Adds the samples of a model in one mode, or why there are none.
void addSamples(const std::string& name, bool isTraining, const ModelOptions& options, const runtime::Programs& programs,
                ModelSamples& found) {
  std::unique_ptr<runtime::Program> program;
  try {
    program = runtime::openProgram(programs.fileOf(name, isTraining, options.isHalf ? "float16" : "float32"));
  } catch (const ir::Error& error) {
    found.unreadable.emplace_back(error.what());
    return;
  }
  const std::vector<int64_t> batches = options.batchSizes.empty() ? std::vector<int64_t>{8} : options.batchSizes;
  const std::vector<int64_t> lengths =
      options.sequenceLengths.empty() ? std::vector<int64_t>{8, 32, 128, 512} : options.sequenceLengths;
  std::vector<std::optional<int64_t>> asked{std::nullopt};
  if (readsTokens(*program)) asked.assign(lengths.begin(), lengths.end());
  for (const int64_t batch : batches)
    for (const std::optional<int64_t> length : asked) {
      try {
        found.samples.push_back(sampleOf(name, isTraining, *program, bindExtents(*program, batch, length).sizes, options));
      } catch (const ir::Error& error) {
        found.refusals.push_back(fmt::format("{}: {}", name, error.what()));
      }
    }
}

}  // namespace

void declareModel(CLI::App& app, ModelOptions& options) {
  CLI::App* verb = app.add_subcommand("model", "Measure whole models: speed, memory and energy, inference and training");
  verb->fallthrough();
  verb->footer(std::string(modelFooter));
  verb->add_option("MODEL,--models", options.models, "Names (docs/models.md lists them), archives (.pt2) and NAME=FILE")
      ->expected(0, -1)
      ->type_name("NAME");
  const auto numbers = [&](const char* name, std::vector<int64_t>& values, const char* description) {
    verb->add_option(name, values, description)->expected(1, -1)->delimiter(',')->type_name("N");
  };
  numbers("--batch-sizes,--batch_sizes", options.batchSizes, "Batch sizes (default: 8)");
  numbers("--sequence-lengths,--sequence_lengths", options.sequenceLengths, "Sequence lengths (default: 8 32 128 512)");
  verb->add_flag("--no-inference,--no_inference", options.noInference, "Leave inference out");
  verb->add_flag("--training", options.isTraining, "Also measure a step of training: forward, loss, backward, optimizer");
  verb->add_flag("--fp16", options.isHalf, "Parameters and inputs in float16");
  verb->add_flag("--torchscript", options.isTraced, "Also race the model as traced TorchScript");
  verb->add_option("--amp", options.amp, "Autocast to float16 or bfloat16")->type_name("DTYPE");
  verb->add_option("--loss", options.loss, "Loss: cross_entropy, mean, or gradient (a random gradient of the first output)")
      ->type_name("NAME");
  verb->add_option("--optimizer", options.optimizer, "Optimizer: sgd, adam or adamw (default: none)")->type_name("NAME");
  verb->add_option("--optimizer-form", options.optimizerForm, "Its form: foreach (the default) or fused")->type_name("NAME");
  addNumber(*verb, "--repeat", options.repeats, "Rounds of ten runs; Hugging Face's time is the least mean of a round")
      ->capture_default_str();
  verb->add_flag("--no-multi-process,--no_multi_process,--no-fresh-workers", options.sharesWorker,
                 "Measure all in one process; memory of the process then holds what earlier samples left");
  verb->add_flag("--save-to-csv,--save_to_csv", options.savesCsv, "Write Hugging Face's CSV files");
  const auto file = [&](const char* name, std::string& path, const char* description) {
    verb->add_option(name, path, description)->type_name("FILE");
  };
  file("--inference-time-csv-file,--inference_time_csv_file", options.inferenceTimeCsv, "Its times of inference");
  file("--inference-memory-csv-file,--inference_memory_csv_file", options.inferenceMemoryCsv, "Its memory of inference");
  file("--train-time-csv-file,--train_time_csv_file", options.trainTimeCsv, "Its times of training");
  file("--train-memory-csv-file,--train_memory_csv_file", options.trainMemoryCsv, "Its memory of training");
  file("--env-info-csv-file,--env_info_csv_file", options.envInfoCsv, "Its facts of the machine");
}

void check(const ModelOptions& options) {
  constexpr int64_t most = int64_t{1} << 31;
  for (const auto& [option, values] :
       {std::pair("--batch-sizes", &options.batchSizes), {"--sequence-lengths", &options.sequenceLengths}})
    for (const int64_t value : *values) requirePositive(option, value);
  if (options.repeats < 1 || options.repeats > most / runsOfRound)
    fail(ErrorKind::Input, "--repeat must be from 1 to {}, got {}", most / runsOfRound, options.repeats);
  const auto check = [](std::string_view option, const std::string& word, const std::vector<std::string>& known) {
    if (!word.empty()) requireOneOf(option, word, known);
  };
  check("--amp", options.amp, {"float16", "bfloat16"});
  check("--loss", options.loss, {"cross_entropy", "mean", "gradient"});
  check("--optimizer", options.optimizer, {"sgd", "adam", "adamw"});
  check("--optimizer-form", options.optimizerForm, {"foreach", "fused"});
  if (options.noInference && !options.isTraining) fail(ErrorKind::Input, "--no-inference without --training leaves nothing");
  if (!options.isTraining && !(options.loss + options.optimizer + options.optimizerForm).empty())
    fail(ErrorKind::Input, "--loss and --optimizer need --training");
}

std::map<std::string, std::string> filesOf(const ModelOptions& options) {
  std::map<std::string, std::string> files;
  for (const std::string& word : wordsOf(options.models, ",")) {
    const auto [name, file] = nameAndFile(word);
    if (file.empty()) continue;
    std::error_code error;
    if (!std::filesystem::is_regular_file(file, error)) fail(ErrorKind::Input, "{}: no such file", file);
    const std::string path = std::filesystem::absolute(file).string();
    if (const auto [at, isNew] = files.emplace(name, path); !isNew && at->second != path)
      fail(ErrorKind::Input, "{} and {} are both called '{}'; use NAME=FILE", at->second, path, name);
  }
  return files;
}

ModelSamples samplesOf(const ModelOptions& options, const runtime::Programs& programs) {
  const std::vector<std::string> known = programs.names();
  if (options.models.empty()) fail(ErrorKind::Input, "model: name at least one; there are {}", fmt::join(known, ", "));
  ModelSamples found;
  for (const std::string& word : wordsOf(options.models, ",")) {
    const std::string name = nameAndFile(word).first;
    if (std::find(known.begin(), known.end(), name) == known.end())
      fail(ErrorKind::Input, "there is no model '{}'{}; there are {}", name, suggestion(nearest(name, known)),
           fmt::join(known, ", "));
    for (const bool isTraining : {false, true})
      if (isTraining ? options.isTraining : !options.noInference) addSamples(name, isTraining, options, programs, found);
  }
  if (!found.samples.empty()) return found;
  std::vector<std::string> all = found.unreadable;
  all.insert(all.end(), found.refusals.begin(), found.refusals.end());
  fail(ErrorKind::Input, "{}", fmt::join(all, "; "));
}

}  // namespace opbench
