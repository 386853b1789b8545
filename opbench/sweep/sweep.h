#pragma once

#include <functional>
#include <vector>

#include "inputs/sample.h"
#include "opbench/presentation/reporter.h"
#include "opbench/settings/options.h"

namespace opbench {

/// Races the samples on the device asked for, and reports each once its results are written (--json); samples that a file to
/// resume already has are reported as they stand there. Ends early once `interrupted` says so, or where results cannot be
/// written, with the report of the samples so far; without any where there are none. Errors: NoDevice; Input, for files that
/// cannot be written or resumed.
Summary sweep(std::vector<inputs::Sample> samples, const Options& options, Streams streams,
              const std::function<bool()>& interrupted);

}  // namespace opbench
