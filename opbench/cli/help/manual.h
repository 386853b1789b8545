#pragma once

#include <string>

#include "opbench/cli/help/declared.h"

namespace opbench {

/// The manual page of the program, in roff with the macros of man(7): `opbench man | man -l -` shows it.
std::string manualPage(const DeclaredCommand& program, const std::string& version);

}  // namespace opbench
