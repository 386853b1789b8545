#pragma once

#include <string>

namespace opbench {

/// `opbench 0.1.0 (15319c2)`: the version and the commit; `unknown` instead of that when built outside git.
std::string versionText();

}  // namespace opbench
