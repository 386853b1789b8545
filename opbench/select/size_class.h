#pragma once

#include <cstdint>
#include <string_view>

namespace opbench {

/// The class of sizes that bytes are in: what a call may find in a GPU's caches or not.
constexpr std::string_view sizeClassOf(int64_t bytes) {
  constexpr int64_t megabyte = int64_t{1} << 20;
  if (bytes < megabyte) return "up to 1 MB";
  return bytes < 32 * megabyte ? "1 to 32 MB" : "32 MB and more";
}

}  // namespace opbench
