#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace tests {

/// What a test program was told on its command line, beside doctest's own options.
struct Settings {
  bool updateGolden = false;     ///< --update-golden: golden pages are rewritten instead of compared
  std::filesystem::path golden;  ///< --golden=DIR: where the pages lie; ../share/opbench/golden beside the program by default
};

/// The settings of this run; set once by main.
Settings& settings();

/// The whole text of tests/golden/`name`; the case fails where there is none.
std::string goldenText(std::string_view name);

/// Compares `text` with the whole page tests/golden/`name` (a file name with its extension), or rewrites the page on
/// --update-golden.
void checkGolden(std::string_view name, const std::string& text);

}  // namespace tests
