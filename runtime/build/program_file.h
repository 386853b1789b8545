#pragma once

#include <filesystem>

namespace runtime {

/// The file beside which the program's other files lie: the program itself, or the library that holds it.
std::filesystem::path programFile();

}  // namespace runtime
