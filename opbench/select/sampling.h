#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "inputs/sample.h"
#include "opbench/settings/sample_mode.h"

namespace opbench {

/// The samples of an operator, given in the order in which they were read, in the mode's order. It depends on nothing but them.
std::vector<const inputs::Sample*> ordered(std::vector<const inputs::Sample*> samples, SampleMode mode);

}  // namespace opbench
