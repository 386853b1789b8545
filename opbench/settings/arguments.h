#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "opbench/settings/race.h"
#include "opbench/settings/selection.h"
#include "runtime/build/cache.h"

namespace opbench {

/// The arguments with which opbench races samples as `options` say, whatever they are and wherever it is done: every option of
/// raceOptions() that does not stay with the run and differs from its default. Equal arguments make equal rows, measuring apart.
std::vector<std::string> raceArguments(const RaceSettings& options);

/// The arguments that choose the samples of files; arguments that choose nothing are left out. None for networks.
std::vector<std::string> selectionArguments(const SelectionSettings& options);

/// The arguments that give another process of the run these settings.
std::vector<std::string> cacheArguments(const runtime::CacheSettings& settings);

/// A digest of the files that these arguments name (--config, --tolerances), on which rows depend as well; empty where they name
/// none. A program that cannot be read counts by its error. Errors: Input, for another file that cannot be read.
std::string rulesDigest(const RaceSettings& options);

/// raceArguments() with the device.
std::vector<std::string> commandWords(const RaceSettings& options);
/// commandWords() as one line for a shell.
std::string commandLine(const RaceSettings& options);

/// The program as one starts it from any shell: a bundle's is started by the launcher in the folder above.
std::string launcherOf(const std::filesystem::path& program);

/// A word as a shell takes it, quoted where it needs to be.
std::string quoted(const std::string& word);
/// Words, quoted, with spaces between them.
std::string quoted(const std::vector<std::string>& words);

/// The words of such a line.
std::vector<std::string> unquoted(std::string_view line);

/// How the options in two such lines differ, one by one: `--seed differs (file: not given; now: 8)`; empty where they do not.
std::string optionDifferences(std::string_view file, std::string_view now);

}  // namespace opbench
