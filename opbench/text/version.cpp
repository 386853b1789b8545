#include "opbench/text/version.h"

#include <fmt/format.h>

namespace opbench {

/// The hash of all that the program is built from, 256 bits in hexadecimal digits, and its commit (cmake/Version.cmake).
std::string_view buildHash();
std::string_view buildCommit();

std::string versionText() {
  constexpr size_t digits = 12;
  return fmt::format("opbench {} ({}+{})", OPBENCH_VERSION, buildCommit(), buildHash().substr(0, digits));
}

std::string_view buildOf(std::string_view version) {
  const size_t plus = version.rfind('+');
  if (plus == std::string_view::npos) return version;
  return version.substr(plus + 1, version.find(')', plus) - plus - 1);
}

}  // namespace opbench
