#pragma once

#include <string>
#include <vector>

#include "inputs/sample.h"
#include "ir/dtype.h"
#include "opbench/settings/environment.h"
#include "opbench/settings/selection.h"

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
std::vector<std::string> samplePaths(const SelectionSettings& options);

/// The samples at samplePaths, with the lines that cannot be read. Suites have a network's calls by the dtype of its step: of
/// `NAME_float16.txt`, `NAME_amp.txt` (float32 under autocast) and `NAME_float32.txt` a run in float32 or float64 reads the last,
/// and others the first two.
inputs::Samples readSamples(const SelectionSettings& options, ir::DType dtype);

}  // namespace opbench
