#include "opbench/networks/options/model.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "ir/error.h"
#include "opbench/networks/options/runner.h"
#include "opbench/networks/options/words.h"
#include "opbench/results/timing.h"
#include "opbench/settings/number_option.h"
#include "opbench/settings/repeatable_option.h"
#include "opbench/text/numbers.h"
#include "runtime/program/programs.h"

namespace opbench {
namespace {

using ir::ErrorKind;
using ir::fail;

constexpr std::string_view modelFooter =
    "All options of a race work as well: --device, --dtype, --json, --resume, --seed, --threads, --no-timing and the others.\n"
    "Prints Hugging Face's tables, then percentiles, throughput, memory and energy. docs/models.md says more.\n"
    "Exit status: 0 all fine; 1 a result was wrong or failed; 2 usage; 3 no such device.";

constexpr std::string_view untimedFooter =
    "Takes the options of opbench model, but for its runner's; those of times and tables have no effect.\n"
    "All options of a race work as well. docs/models.md says more.";

bool isFile(const std::string& word) {
  return word.find('=') != std::string::npos || word.find_first_of("/.") != std::string::npos;
}

/// Which models, which inputs, and what is computed of them.
void declareSubject(CLI::App& verb, ModelOptions& options, bool& tracesMemory) {
  verb.add_option("MODEL,--models", options.models, "Names (docs/models.md lists them), archives (.pt2) and NAME=FILE")
      ->expected(0, -1)
      ->type_name("NAME");
  const auto numbers = [&](const char* name, std::vector<int64_t>& values, const char* description) {
    verb.add_option(name, values, description)->expected(1, -1)->delimiter(',')->type_name("N");
  };
  numbers("--batch-sizes,--batch_sizes,--batch-size,--batch_size", options.batchSizes,
          "Batch sizes (default: 8; the runner's: the archive's)");
  numbers("--sequence-lengths,--sequence_lengths", options.sequenceLengths, "Sequence lengths (default: 8 32 128 512)");
  verb.add_flag("--no-inference,--no_inference", options.noInference, "Leave inference out");
  verb.add_flag("--training", options.isTraining, "Also measure a step of training: forward, loss, backward, optimizer");
  verb.add_flag("--torchscript", options.isTraced, "Also race the model as traced TorchScript");
  verb.add_flag("--only-pretrain-model,--only_pretrain_model", options.isWithoutHead, "The models without their heads");
  repeated(
      verb.add_option("--input", options.inputs, "An input of a TorchScript file, as in f32:2,3,224,224; repeatable, in order"))
      ->type_name("DTYPE:SIZES");
  repeated(verb.add_option("--input-range", options.inputRanges, "Integers of an input are from L to less than N; repeatable"))
      ->type_name("[NAME=]L..N");
  declareComputation(verb, options);
  verb.add_flag("--bfloat16", options.isBfloat16, "Parameters and inputs in bfloat16");
  verb.add_flag("--float32", options.isFloat32, "In float32 (the default)");
  verb.add_option("--amp-dtype,--amp_dtype", options.ampDtype, "The dtype of an --amp without one")->type_name("DTYPE");
  verb.add_flag("--no-multi-process,--no_multi_process,--no-fresh-workers", options.sharesWorker,
                "Measure all in one process; memory of the process then holds what earlier samples left");
  verb.add_flag("--trace-memory,--trace_memory,--trace-memory-line-by-line,--trace_memory_line_by_line", tracesMemory,
                "Tell which modules hold the memory that tensors take");
  verb.add_flag("--verbose", options.isVerbose, "With --trace-memory: all modules, not those alone that add the most");
  verb.add_flag("--no-cuda,--no_cuda", options.isOnCpu, "--device cpu");
}

/// How long models are timed, and what is shown and written of their times.
void declareTiming(CLI::App& verb, ModelOptions& options) {
  addNumber(verb, "--repeat", options.repeats, "Rounds of ten runs; Hugging Face's time is the least mean of a round")
      ->capture_default_str();
  verb.add_flag("--no-speed,--no_speed", options.hasNoSpeed, "--no-timing");
  verb.add_flag("--tpu,--torch-xla-tpu-print-metrics,--torch_xla_tpu_print_metrics,!--no-tpu,!--no_tpu", options.asksTpu)
      ->group("");
  verb.add_flag("--env-print,--env_print,!--no-env-print,!--no_env_print", options.printsEnvironment,
                "Print the facts of the machine as well");
  verb.add_flag("--log-print,--log_print", options.logsTables, "Write a copy of the tables to a file");
  verb.add_option("--log-filename,--log_filename", options.log, "That file (default: log_TIME.txt)")->type_name("FILE");
  verb.add_flag("--save-to-csv,--save_to_csv", options.savesCsv, "Write Hugging Face's CSV files");
  const auto file = [&](const char* name, std::string& path, const char* description) {
    verb.add_option(name, path, description)->type_name("FILE");
  };
  file("--inference-time-csv-file,--inference_time_csv_file", options.inferenceTimeCsv, "Its times of inference");
  file("--inference-memory-csv-file,--inference_memory_csv_file", options.inferenceMemoryCsv, "Its memory of inference");
  file("--train-time-csv-file,--train_time_csv_file", options.trainTimeCsv, "Its times of training");
  file("--train-memory-csv-file,--train_memory_csv_file", options.trainMemoryCsv, "Its memory of training");
  file("--env-info-csv-file,--env_info_csv_file", options.envInfoCsv, "Its facts of the machine");
}

CLI::App* addVerb(CLI::App& owner, const std::string& summary, std::string_view footer) {
  CLI::App* verb = owner.add_subcommand("model", summary);
  verb->fallthrough();
  verb->footer(std::string(footer));
  return verb;
}

}  // namespace

std::pair<std::string, std::string> nameAndFile(const std::string& word) {
  if (!isFile(word)) return {word, ""};
  const size_t equals = word.find('=');
  const std::filesystem::path path = equals == std::string::npos ? word : word.substr(equals + 1);
  const std::string name = equals == std::string::npos ? path.stem().string() : word.substr(0, equals);
  return {runtime::programName(name), path.string()};
}

InputRange inputRangeOf(const std::string& text) {
  constexpr std::string_view to = "..";
  InputRange range;
  const size_t equals = text.find('=');
  if (equals != std::string::npos) range.name = text.substr(0, equals);
  const std::string numbers = equals == std::string::npos ? text : text.substr(equals + 1);
  const size_t dots = numbers.find(to);
  const auto least = wholeNumber(numbers.substr(0, dots));
  const auto bound = dots == std::string::npos ? std::nullopt : wholeNumber(numbers.substr(dots + to.size()));
  if (!least || !bound || *least < 0 || *bound <= *least || equals == 0)
    fail(ErrorKind::Input, "--input-range must be L..N or NAME=L..N, for integers from L to below N, got '{}'", text);
  range.least = *least;
  range.bound = *bound;
  return range;
}

void declareComputation(CLI::App& verb, ModelOptions& options) {
  verb.add_flag("--fp16,--float16", options.isHalf, "Parameters and inputs in float16");
  verb.add_option("--amp", options.amp, "Autocast to this dtype (default: float16, on a CPU bfloat16)")
      ->expected(0, 1)
      ->type_name("float16|bfloat16");
  verb.add_option("--loss", options.loss, "Loss; gradient is a random one of the first output")
      ->type_name("cross_entropy|mean|gradient");
  verb.add_option("--optimizer", options.optimizer, "Optimizer (default: none)")->type_name("sgd|adam|adamw");
  verb.add_option("--optimizer-form", options.optimizerForm, "Its form (default: foreach)")->type_name("foreach|fused");
  verb.add_flag("--grad-scaler", options.scalesGradients,
                "Scale the loss as torch.amp.GradScaler does, and leave out steps of gradients that are not finite");
}

void declareModel(CLI::App& app, ModelOptions& options, bool& tracesMemory) {
  CLI::App* verb = addVerb(app, "Measure whole models: speed, memory and energy, inference and training", modelFooter);
  declareSubject(*verb, options, tracesMemory);
  declareRunner(*verb, options.runner);
  declareTiming(*verb, options);
}

void declareUntimedModel(CLI::App& verb, const std::string& summary, ModelOptions& options, bool& tracesMemory) {
  CLI::App* model = addVerb(verb, summary, untimedFooter);
  declareSubject(*model, options, tracesMemory);
  model->option_defaults()->group("");
  declareRefusedRunner(*model, options.runner);
  declareTiming(*model, options);
}

void readAutocast(const CLI::App& verb, bool isOnCpu, ModelOptions& options) {
  const bool isAsked = verb.count("--amp") > 0;
  const std::string& dtype = options.ampDtype;
  if (!dtype.empty() && !isAsked) fail(ErrorKind::Input, "--amp-dtype needs --amp");
  if (!dtype.empty() && !options.amp.empty() && options.amp != dtype)
    fail(ErrorKind::Input, "--amp {} and --amp-dtype {} contradict each other", options.amp, dtype);
  if (!isAsked || !options.amp.empty()) return;
  options.amp = dtype.empty() ? (isOnCpu ? "bfloat16" : "float16") : dtype;
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
  check("--amp-dtype", options.ampDtype, {"float16", "bfloat16"});
  check("--loss", options.loss, {"cross_entropy", "mean", "gradient"});
  check("--optimizer", options.optimizer, {"sgd", "adam", "adamw"});
  check("--optimizer-form", options.optimizerForm, {"foreach", "fused"});
  for (const std::string& text : options.inputRanges) inputRangeOf(text);
  if (options.asksTpu) fail(ErrorKind::Input, "model: there are no TPUs here; devices are cpu and cuda");
  if (options.scalesGradients && options.optimizer.empty()) fail(ErrorKind::Input, "--grad-scaler needs --optimizer");
  if (int(options.isHalf) + int(options.isBfloat16) + int(options.isFloat32) > 1)
    fail(ErrorKind::Input, "model: --float16, --bfloat16 and --float32 contradict each other");
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

}  // namespace opbench
