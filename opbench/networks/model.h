#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "inputs/sample.h"

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's
class App;
}
namespace runtime {
class Programs;
struct ProgramInput;
}  // namespace runtime

namespace opbench {

class SuiteConfig;
struct Description;

/// Describes the program in a file (foreign/description.h); inputs of TorchScript are what the caller says they are. Errors: as
/// runtime::openProgram().
using Describe = std::function<Description(const std::string& file, const std::vector<runtime::ProgramInput>& scriptInputs)>;

/// The options of torchbench's runner, in its spelling.
struct RunnerOptions {
  bool isOn = false;  ///< whether any of its modes is asked for: accuracy, performance, a dashboard's records
  bool isAccuracy = false, isPerformance = false;
  bool isInference = false;
  std::vector<std::string> filters, excludes;  ///< regular expressions of names, in any case
  std::vector<std::string> excludedNames;      ///< `--exclude-exact`
  std::string only;
  std::string batchSizeFile;
  std::map<std::string, int64_t> batches;  ///< what it says, by name
  std::string output;                      ///< Dynamo's CSV; empty writes none
};

/// The options of `opbench model`: those of Hugging Face's benchmark in its spelling, and what is computed beside them.
struct ModelOptions {
  std::vector<std::string> models;                   ///< names of archives, files, and NAME=FILE
  std::vector<int64_t> batchSizes, sequenceLengths;  ///< empty: 8, and 8, 32, 128, 512
  bool noInference = false, isTraining = false;
  bool isHalf = false;                         ///< `--fp16`
  bool isBfloat16 = false, isFloat32 = false;  ///< the other dtypes by their names
  std::string dtype;                           ///< of parameters, where a model has another than all
  bool isTraced = false;                       ///< `--torchscript`
  bool isChannelsLast = false, isWithoutHead = false, scalesGradients = false;
  std::vector<std::string> inputs;       ///< of TorchScript files: `f32:2,3,224,224` each
  std::vector<std::string> inputRanges;  ///< `0..N` or `NAME=2..N`: integers are from the first number to less than N
  std::string amp, loss, optimizer, optimizerForm;
  std::string ampDtype;       ///< `--amp-dtype`: that of an `--amp` without one
  int64_t repeats = 3;        ///< rounds of ten runs
  bool sharesWorker = false;  ///< `--no-multi-process`
  bool isOnCpu = false;       ///< `--no-cuda`
  bool hasNoSpeed = false;    ///< `--no-speed`
  bool asksTpu = false;       ///< which there is none of
  bool savesCsv = false;
  bool isVerbose = false;  ///< the table of memory has a line of each module
  bool printsEnvironment = false;
  bool logsTables = false;  ///< `--log-print`
  std::string log;          ///< the file of a copy of the tables; empty takes the default
  RunnerOptions runner;
  std::string inferenceTimeCsv, inferenceMemoryCsv, trainTimeCsv, trainMemoryCsv, envInfoCsv;  ///< files; empty takes the default
};

/// Adds the options that say what a model computes: dtypes, loss, optimizer.
void declareComputation(CLI::App& verb, ModelOptions& options);
/// Adds the verb and its options, and `--trace-memory`, which is a race's.
void declareModel(CLI::App& app, ModelOptions& options, bool& tracesMemory);
/// Completes the dtype of an `--amp` of the verb that has none: `--amp-dtype`, else float16, on a CPU bfloat16. Errors: Input,
/// for what contradicts itself.
void readAutocast(const CLI::App& verb, bool isOnCpu, ModelOptions& options);
/// Errors: Input, for a value that is none.
void check(const ModelOptions& options);

/// The sample of a model in one mode, of its inputs in of these sizes.
inputs::Sample sampleOf(const std::string& name, bool isTraining, const std::vector<runtime::ProgramInput>& inputs,
                        const std::vector<std::vector<int64_t>>& sizes, const ModelOptions& options);

/// The name that a word of the command line gives a model. Error: Input, where there is no such model.
std::string modelName(const std::string& word, const runtime::Programs& programs);

/// The files that the names bring with them, by name. Errors: Input, for one that is not there and two files of one name.
std::map<std::string, std::string> filesOf(const ModelOptions& options);

/// The samples that the options mean, in the order of models, modes, batches and lengths; lengths count where a model reads
/// tokens. The user's configuration may say which batch and which dtype a model has. Sizes that a model does not take are
/// samples, too, and so is a file that is not described, without arguments: their rows say why there is no result. Error: Input,
/// for a model that is not there.
std::vector<inputs::Sample> samplesOf(const ModelOptions& options, const runtime::Programs& programs, const SuiteConfig& config,
                                      const Describe& describe);

}  // namespace opbench
