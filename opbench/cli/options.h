#pragma once

#include <string>
#include <vector>

#include "opbench/settings/options.h"

namespace opbench {

/// Reads the arguments after the program's name. Errors: Input, for what cannot be understood or contradicts itself.
Options parseOptions(const std::vector<std::string>& arguments, const Environment& environment);

}  // namespace opbench
