#pragma once

#include <string>
#include <vector>

#include "opbench/options.h"

namespace opbench {

/// The arguments with which opbench races samples as `options` say, whatever they are and wherever it is done; those of default
/// value are left out. Equal arguments make equal rows, measuring apart.
std::vector<std::string> raceArguments(const Options& options);

/// The same with the device, as one line for a shell.
std::string commandLine(const Options& options);

/// A word as a shell takes it, quoted where it needs to be.
std::string quoted(const std::string& word);
/// Words, quoted, with spaces between them.
std::string quoted(const std::vector<std::string>& words);

}  // namespace opbench
