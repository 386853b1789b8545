#pragma once

#include <optional>
#include <ostream>
#include <vector>

#include "opbench/results/read.h"
#include "opbench/settings/compare.h"

namespace opbench {

/// The results of two builds, run by run.
struct BuildRuns {
  std::vector<results::Results> base, candidate;
};

/// Runs CompareOptions::programs in turn, first one of each pair in every other one, with the options of the race. Says on `err`
/// which run begins. Nothing where this program is told to end (endings.h), which ends the run at hand. Errors: Input, for a
/// program that cannot be run, a run that fails or leaves no results, and builds that are not comparable (without
/// CompareOptions::force).
std::optional<BuildRuns> runBuilds(const CompareOptions& options, std::ostream& err);

}  // namespace opbench
