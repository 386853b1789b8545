#pragma once

#include <functional>
#include <vector>

#include "inputs/sample.h"
#include "opbench/presentation/reporter.h"
#include "opbench/settings/options.h"

namespace opbench {

/// Prints what moved between the two traces of ProfileOptions::compared. Error: Input for what is no trace.
void compareProfiles(const Options& options, const Streams& streams);

/// Prints the command that profiles with another tool, and runs it where that is installed. Returns whether it went well; true
/// where it is not installed. Errors: Input.
bool profileWith(const Options& options, const Streams& streams);

/// Prints the command that checks the samples of a race under a tool of compute-sanitizer, and runs it where that is installed.
/// Returns whether nothing was found and all results were right; true where it is not installed. Errors: Input.
bool sanitize(const Options& options, const Streams& streams);

/// Checks and profiles samples as sweep() races them, and prints a report of each trace. Errors: sweep()'s.
Summary profileSamples(std::vector<inputs::Sample> samples, const Options& options, Streams streams,
                       const std::function<bool()>& interrupted);

}  // namespace opbench
