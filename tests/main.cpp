#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <string_view>

#include "tests/golden.h"

int main(int argc, char** argv) {
  tests::Settings& settings = tests::settings();
  settings.golden = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "../share/opbench/golden";
  constexpr std::string_view goldenOption = "--golden=";
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--update-golden") settings.updateGolden = true;
    if (argument.starts_with(goldenOption)) settings.golden = argument.substr(goldenOption.size());
  }
  doctest::Context context(argc, argv);
  return context.run();
}
