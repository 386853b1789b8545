#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "opbench/settings/networks.h"

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's
class App;
}

namespace opbench {

/// Adds the options that say what a model computes: dtypes, loss, optimizer.
void declareComputation(CLI::App& verb, ModelOptions& options);
/// Adds the verb and its options, and `--trace-memory`, which is a race's.
void declareModel(CLI::App& app, ModelOptions& options, bool& tracesMemory);
/// Adds the command `model` to a verb that takes models and does not time them. Options of times and tables are left out of its
/// help and have no effect; options of the runner are left out as well, and refuseRunner() refuses them.
void declareUntimedModel(CLI::App& verb, const std::string& summary, ModelOptions& options, bool& tracesMemory);
/// Completes the dtype of an `--amp` of the verb that has none: `--amp-dtype`, else float16, on a CPU bfloat16. Errors: Input,
/// for what contradicts itself.
void readAutocast(const CLI::App& verb, bool isOnCpu, ModelOptions& options);
/// Errors: Input, for a value that is none.
void check(const ModelOptions& options);

/// A word of the command line as the name of a model and, where it is a file, its path.
std::pair<std::string, std::string> nameAndFile(const std::string& word);
/// The files that the names bring with them, by name. Errors: Input, for one that is not there and two files of one name.
std::map<std::string, std::string> filesOf(const ModelOptions& options);

/// Integers of inputs are from one number to below another: `0..N`, or `ids=2..9` for the input of that name.
struct InputRange {
  std::string name;  ///< empty: of any input
  int64_t least = 0, bound = 0;
};
/// Errors: Input.
InputRange inputRangeOf(const std::string& text);

}  // namespace opbench
