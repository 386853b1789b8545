#pragma once

#include <vector>

#include "opbench/cli/command_line.h"

namespace opbench {

/// Those of --contenders, and of --measure-nvfuser. Error: Input for what is no contender, or one twice. Where libraries are to
/// be loaded, any name may be one of their namespaces: whether it is is seen then.
std::vector<Contender> contendersOf(const Texts& texts, bool hasLibraries);
/// Those of `--fail-on slower-than-inductor`. Error: Input for any other word, and for one that does not race.
std::vector<Contender> notSlowerThan(const Texts& texts, const std::vector<Contender>& contenders);

}  // namespace opbench
