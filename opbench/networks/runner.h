#pragma once

#include <string>
#include <vector>

#include "opbench/networks/model.h"

namespace opbench {

class SuiteConfig;

/// The names of the models that the runner runs: the models that are named, or all, as far as its patterns leave them. Errors:
/// Input, for a pattern that is none, a name of no model, and where none is left.
std::vector<std::string> modelsOf(const ModelOptions& options, const runtime::Programs& programs);

/// A line about models of `--batch-size-file` that there are none of; empty where there are all.
std::string unknownBatches(const RunnerOptions& runner, const runtime::Programs& programs);

/// The options for one model in one mode: with the batch and the dtypes that the user's files say of it.
ModelOptions optionsFor(const std::string& op, const ModelOptions& options, const SuiteConfig& config);

}  // namespace opbench
