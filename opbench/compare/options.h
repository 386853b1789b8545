#pragma once

#include <set>
#include <string>

#include "opbench/compare/compare.h"

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's
class App;
}

namespace opbench {

/// The options of `opbench compare`.
struct CompareOptions {
  std::string base, candidate;  ///< files of results
  std::string markdown, junit;  ///< files to write; empty is none
  std::string failOn = "slow,wrong,crash,impossible";
  bool force = false;  ///< compare files that are not comparable
  bool all = false;    ///< list every sample
};

/// Adds the verb and its options.
void declareCompare(CLI::App& app, CompareOptions& options);

/// The verdicts that --fail-on names. Errors: Input, for a name that is none.
std::set<compare::Verdict> failingVerdicts(const CompareOptions& options);

}  // namespace opbench
