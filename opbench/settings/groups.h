#pragma once

#include <array>
#include <string_view>

namespace opbench {

/// The groups of a race's options that most people need: --help shows them, --help-all shows all.
inline constexpr std::array<std::string_view, 4> basicGroups{"Samples", "Race", "Results", "Help"};

}  // namespace opbench
