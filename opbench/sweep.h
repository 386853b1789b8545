#pragma once

#include <functional>
#include <vector>

#include "inputs/sample.h"
#include "opbench/options.h"
#include "opbench/reporter.h"

namespace opbench {

/// Races the samples one after another on the device asked for and reports each; ends early once `interrupted` says so,
/// with the summary of what was done. Errors: NoDevice.
Summary sweep(const std::vector<inputs::Sample>& samples, const Options& options, Reporter& reporter,
              const std::function<bool()>& interrupted);

}  // namespace opbench
