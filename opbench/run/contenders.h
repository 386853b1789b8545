#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/contender.h"

namespace opbench {

using runtime::Contender;

/// The name on the command line and in reports: `eager`, `opbench`, `torchscript`.
inline std::string_view name(const Contender& contender) { return contender.name(); }
/// Those of several.
std::vector<std::string_view> namesOf(const std::vector<Contender>& contenders);

/// The contender of a name; nothing where the text is none, whatever contenders there are.
std::optional<Contender> contenderFromName(std::string_view text);
/// The names of the contenders of a call.
std::vector<std::string> contenderNames();

}  // namespace opbench
