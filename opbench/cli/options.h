#pragma once

#include <optional>
#include <string>
#include <vector>

#include "opbench/settings/environment.h"
#include "opbench/settings/options.h"

namespace opbench {

/// Reads the arguments after the program's name. Errors: Input, for what cannot be understood or contradicts itself.
Options parseOptions(const std::vector<std::string>& arguments, const Environment& environment);

/// The same; nothing where the arguments mean a verb that is not wanted, whose options are not looked at further.
std::optional<Options> parseOptions(const std::vector<std::string>& arguments, const Environment& environment,
                                    bool (*isWanted)(Verb));

}  // namespace opbench
