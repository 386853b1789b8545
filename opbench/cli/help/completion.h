#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "opbench/cli/help/declared.h"

namespace opbench {

enum class Shell { Bash, Zsh, Fish };
/// `bash`, `zsh`, `fish`.
std::vector<std::string> shellNames();
std::optional<Shell> shellFromName(std::string_view name);

/// A script by which a shell completes the program's commands, its options, and values that are files or one of a few words.
std::string completionScript(const DeclaredCommand& program, Shell shell);

}  // namespace opbench
