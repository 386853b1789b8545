#pragma once

#include <filesystem>
#include <string>

namespace tests {

/// The archive of a built-in network, beside the recorded suites.
inline std::string modelPath(const std::string& name) {
  const auto share = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "../share/opbench";
  return std::filesystem::canonical(share / "recorded").parent_path() / "models" / (name + ".pt2");
}

}  // namespace tests
