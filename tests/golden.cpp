#include "tests/golden.h"

#include <doctest/doctest.h>

#include <fstream>
#include <sstream>

namespace tests {
namespace {

/// The number and both versions of the first line that differs: what a reader looks for first.
std::string firstDifference(const std::string& expected, const std::string& actual) {
  std::istringstream left(expected), right(actual);
  std::string leftLine, rightLine;
  for (int line = 1;; ++line) {
    const bool more = static_cast<bool>(std::getline(left, leftLine));
    const bool also = static_cast<bool>(std::getline(right, rightLine));
    if (!more && !also) return "the last line ends differently";
    if (more != also || leftLine != rightLine)
      return "line " + std::to_string(line) + "\n  page: " + (more ? leftLine : "(none)") +
             "\n  now:  " + (also ? rightLine : "(none)");
  }
}

}  // namespace

Settings& settings() {
  static Settings value;
  return value;
}

std::string goldenText(std::string_view name) {
  const std::filesystem::path path = settings().golden / name;
  INFO("golden page ", path.string(), " (rewrite with --update-golden)");
  REQUIRE(std::filesystem::exists(path));
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

void checkGolden(std::string_view name, const std::string& text) {
  const std::filesystem::path path = settings().golden / name;
  if (settings().updateGolden) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
    return;
  }
  INFO("golden page ", path.string(), " (rewrite with --update-golden)");
  const std::string expected = goldenText(name);
  if (expected != text) FAIL_CHECK(firstDifference(expected, text) << "\n--- now ---\n" << text);
}

}  // namespace tests
