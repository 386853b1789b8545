#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace opbench {

/// An option or a positional argument as users see it.
struct DeclaredOption {
  std::vector<std::string> names;  ///< `-h`, `--help`; a positional argument's has no dashes
  std::string value;               ///< the form of its value: `FILE`, `N`, `write|read`, `NAME,..`; empty for a flag
  std::string description;         ///< with its default
  bool isRequired = false;
  bool isRepeatable = false;
};

struct DeclaredGroup {
  std::string name;
  std::vector<DeclaredOption> options;
};

/// A command, or the program as a whole: what its help, its manual page and its completions are made of.
struct DeclaredCommand {
  std::string path;                         ///< what is typed up to its name: `opbench profile model`
  std::vector<std::string> names;           ///< an alias comes after the name
  std::string summary;                      ///< a sentence
  std::string details;                      ///< lines, each a paragraph or an entry of a list
  std::vector<DeclaredOption> positionals;  ///< in order
  std::vector<DeclaredGroup> groups;        ///< of its options, in the order of their declaration
  std::vector<DeclaredCommand> commands;
  bool takesRaceOptions = false;  ///< whether the options of the program as a whole may follow it
};

/// What is typed up to a command's name: `opbench profile model`.
std::string pathOf(const CLI::App& app);

/// What CLI11 was told. Options of no group are internal and left out, as are spellings with underscores.
DeclaredCommand declared(const CLI::App& app);

/// The words of a value that is one of a few, or a list of such: of `write|read` and of `eager|opbench,..`. None of `FILE`.
std::vector<std::string> wordsOfValue(const std::string& value);

/// Whether a command is the program as a whole.
bool isProgram(const DeclaredCommand& command);

/// Whether most people need the options of a group (basicGroups).
bool isBasic(const DeclaredGroup& group);

}  // namespace opbench
