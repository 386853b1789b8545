#pragma once

#include <string>

namespace opbench {

/// `opbench 0.1.0`, with the commit where the build knows it.
std::string versionText();

}  // namespace opbench
