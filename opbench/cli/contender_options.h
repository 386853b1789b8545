#pragma once

#include <functional>
#include <string>
#include <vector>

#include "opbench/settings/options.h"

namespace opbench {

/// Error: Input for a word of --contenders that is no contender, and for a contender named twice. A name may be a namespace of
/// torch's operators. Where libraries are to be loaded, any name may be one of theirs: whether it is one is seen then.
void checkContenders(const Options& options, const std::function<bool(const std::string&)>& isTorchNamespace);
/// The contenders of `--fail-on slower-than-inductor`. Error: Input for any other word, and for a contender that does not race.
std::vector<Contender> notSlowerThan(const std::vector<std::string>& words, const std::vector<Contender>& contenders);

}  // namespace opbench
