#pragma once

#include <string>
#include <vector>

#include "opbench/cli/options.h"

namespace opbench {

/// The folder of suites: OPBENCH_SUITES, or `../share/opbench/recorded` or `recorded` beside the program; empty where there
/// is none.
std::string findSuites(const Environment& environment);
/// A folder that comes with the program, `share/opbench/NAME` or NAME beside it; empty where there is none.
std::string findShared(const Environment& environment, const std::string& name);

/// The names of the suites (subfolders) in a folder, sorted.
std::vector<std::string> suiteNames(const std::string& folder);

/// The files and folders to read samples from: `inputs`, or the suites asked for, or all. Errors: Input, for a suite or a
/// folder of suites that does not exist.
std::vector<std::string> samplePaths(const Options& options);

}  // namespace opbench
