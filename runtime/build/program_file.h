#pragma once

#include <filesystem>

namespace runtime {

/// The file beside which the program's other files lie: the program itself, or the library that holds it.
std::filesystem::path programFile();

/// The program that users start, whose code may be the library of that name beside it.
std::filesystem::path starterFile();

}  // namespace runtime
