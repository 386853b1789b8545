#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace opbench {

/// Refuses a command line that CLI11 did not understand, in the style of our other messages. Error: Input.
[[noreturn]] void refuseUsage(const CLI::ParseError& error);

/// Refuses the words that no option and no command takes. Error: Input, with what may have been meant.
[[noreturn]] void refuseExtras(const CLI::App& app, const std::vector<std::string>& arguments);

}  // namespace opbench
