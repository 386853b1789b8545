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

/// The arguments as declareCompare() reads them: of `compare` the files after `--` are the candidate's.
std::vector<std::string> withSeparator(std::vector<std::string> arguments);

/// Tells the files of both builds apart. Errors: Input, where one of them has none.
void readCompare(CompareOptions& options);

/// The verdicts that --fail-on names. Errors: Input, for a name that is none.
std::set<compare::Verdict> failingVerdicts(const CompareOptions& options);

}  // namespace opbench
