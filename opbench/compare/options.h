#pragma once

#include <set>
#include <string>
#include <vector>

#include "opbench/compare/compare.h"
#include "opbench/settings/compare.h"

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's
class App;
}

namespace opbench {

/// Adds the verb and its options.
void declareCompare(CLI::App& app, CompareOptions& options);

/// The arguments as declareCompare() reads them: of `compare` the files after `--` are the candidate's. With --run
/// the word says nothing.
std::vector<std::string> withSeparator(std::vector<std::string> arguments);

/// Tells the files of both builds apart, or checks what is run, and the names of --fail-on. Errors: Input.
void readCompare(CompareOptions& options);

/// The arguments without `compare`, and without its own options (`verb`) and their values: options of a race. Separators are no
/// options.
std::vector<std::string> wordsBeside(const CLI::App& verb, const std::vector<std::string>& arguments);

/// The verdicts that --fail-on names. Errors: Input, for a name that is none.
std::set<compare::Verdict> failingVerdicts(const CompareOptions& options);

}  // namespace opbench
