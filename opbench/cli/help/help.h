#pragma once

#include <string>

#include "opbench/cli/help/declared.h"

namespace opbench {

/// The text of --help, or with `hasAll` of --help-all, in lines of at most `width` characters.
std::string helpText(const DeclaredCommand& command, bool hasAll, int width);

/// A line in lines of at most `width` characters; those after the first are indented as far as the text of a list's entry is,
/// such as `  word  text`.
std::string filled(const std::string& line, int width);

}  // namespace opbench
