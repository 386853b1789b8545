#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "inputs/sample.h"
#include "opbench/settings/networks.h"

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

/// The sample of a model in one mode, of its inputs in of these sizes.
inputs::Sample sampleOf(const std::string& name, bool isTraining, const std::vector<runtime::ProgramInput>& inputs,
                        const std::vector<std::vector<int64_t>>& sizes, const ModelOptions& options);

/// The name that a word of the command line gives a model. Error: Input, where there is no such model.
std::string modelName(const std::string& word, const runtime::Programs& programs);

/// The samples that the options mean, in the order of models, modes, batches and lengths; lengths count where a model reads
/// tokens. The user's configuration may say which batch and which dtype a model has. Sizes that a model does not take are
/// samples, too, and so is a file that is not described, without arguments: their rows say why there is no result. Error: Input,
/// for a model that is not there.
std::vector<inputs::Sample> samplesOf(const ModelOptions& options, const runtime::Programs& programs, const SuiteConfig& config,
                                      const Describe& describe);

}  // namespace opbench
