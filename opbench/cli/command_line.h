#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "opbench/settings/options.h"

namespace opbench {

/// Declares every option and verb; what is given goes to `options`, or stays with CLI11 until it is read.
void declareAll(CLI::App& app, Options& options);

/// Whether a flag is given, and not as `--flag=false`.
bool isOn(const CLI::App& app, const std::string& flag);

/// Error: Input, where the command line has an option of a race that a verb does not take.
void refuseUntaken(const CLI::App& app, std::string_view verb, const std::vector<std::string>& taken);

}  // namespace opbench
