#include "opbench/cli/version.h"

#include <fmt/format.h>

namespace opbench {

/// Of 256 bits, in hexadecimal digits (cmake/Version.cmake).
std::string_view buildHash();

std::string versionText() {
  constexpr size_t digits = 12;
  return fmt::format("opbench {} ({}+{})", OPBENCH_VERSION, OPBENCH_COMMIT, buildHash().substr(0, digits));
}

std::string_view buildOf(std::string_view version) {
  const size_t plus = version.rfind('+');
  if (plus == std::string_view::npos) return version;
  return version.substr(plus + 1, version.find(')', plus) - plus - 1);
}

}  // namespace opbench
