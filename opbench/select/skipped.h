#pragma once

#include <string>
#include <string_view>

#include "inputs/sample.h"
#include "opbench/select/suite_config.h"
#include "opbench/settings/race.h"

namespace opbench {

/// Why the user's limits leave a sample, as it is run, out on a device (`cpu`, `cuda:0`); empty where they do not.
std::string whySkipped(const inputs::Sample& sample, const SampleSettings& options, const SuiteConfig& config,
                       std::string_view device);

}  // namespace opbench
