#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "inputs/sample.h"

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's
class App;
}
namespace runtime {
class Programs;
}

namespace opbench {

/// The options of `opbench model`: those of Hugging Face's benchmark in its spelling, and what is computed beside them.
struct ModelOptions {
  std::vector<std::string> models;                   ///< names of archives, files, and NAME=FILE
  std::vector<int64_t> batchSizes, sequenceLengths;  ///< empty: 8, and 8, 32, 128, 512
  bool noInference = false, isTraining = false;
  bool isHalf = false;    ///< `--fp16`
  bool isTraced = false;  ///< `--torchscript`
  std::string amp, loss, optimizer, optimizerForm;
  int64_t repeats = 3;        ///< rounds of ten runs
  bool sharesWorker = false;  ///< `--no-multi-process`
  bool savesCsv = false;
  std::string inferenceTimeCsv, inferenceMemoryCsv, trainTimeCsv, trainMemoryCsv, envInfoCsv;  ///< files; empty takes the default
};

/// Adds the verb and its options.
void declareModel(CLI::App& app, ModelOptions& options);
/// Errors: Input, for a value that is none.
void check(const ModelOptions& options);

/// The files that the names bring with them, by name. Errors: Input, for one that is not there and two files of one name.
std::map<std::string, std::string> filesOf(const ModelOptions& options);

/// The samples that the options mean, in the order of models, modes, batches and lengths; lengths count where a model reads
/// tokens. What a model does not take is refused, `resnet18: length is fixed at 224`; so is a file that cannot be read. Errors:
/// Input, for a model that is not there, and where nothing is left.
struct ModelSamples {
  std::vector<inputs::Sample> samples;
  std::vector<std::string> refusals;    ///< sizes that are not taken, a line each
  std::vector<std::string> unreadable;  ///< files, a line each
};
ModelSamples samplesOf(const ModelOptions& options, const runtime::Programs& programs);

}  // namespace opbench
