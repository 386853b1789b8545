#pragma once

#include <string>
#include <string_view>

namespace opbench {

/// Writes a file, or what is there anew. Errors: Input, `cannot write FILE: why`.
void writeFile(const std::string& path, std::string_view text);

/// All that a file holds. Errors: Input, `cannot read FILE: why`, also for a folder, and for more than 1 GiB.
std::string readFile(const std::string& path);

}  // namespace opbench
