#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "inputs/sample.h"
#include "opbench/settings/sample_mode.h"

namespace opbench {

/// An operator's samples, in the order in which they were read, in that of the mode. It depends on nothing but them.
std::vector<const inputs::Sample*> ordered(std::vector<const inputs::Sample*> samples, SampleMode mode);

}  // namespace opbench
