#pragma once

#include <string>
#include <vector>

#include "opbench/cli/options.h"

namespace opbench {

/// The arguments with which opbench races samples as `options` say, whatever they are and wherever it is done; those of default
/// value are left out. Equal arguments make equal rows, measuring apart.
std::vector<std::string> raceArguments(const Options& options);

/// The arguments that give another process of the run these settings.
std::vector<std::string> cacheArguments(const runtime::CacheSettings& settings);

/// A digest of what the files say that these arguments name (--config, --tolerances), on which rows depend as well; empty where
/// they name none. Errors: Input, for a file that cannot be read.
std::string rulesDigest(const Options& options);

/// raceArguments() with the device.
std::vector<std::string> commandWords(const Options& options);
/// The same as one line for a shell.
std::string commandLine(const Options& options);

/// A word as a shell takes it, quoted where it needs to be.
std::string quoted(const std::string& word);
/// Words, quoted, with spaces between them.
std::string quoted(const std::vector<std::string>& words);

}  // namespace opbench
