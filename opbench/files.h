#pragma once

#include <string>
#include <string_view>

namespace opbench {

/// Writes a file, or what is there anew. Errors: Input, `cannot write FILE: why`.
void writeFile(const std::string& path, std::string_view text);

}  // namespace opbench
