#pragma once

#include <filesystem>
#include <string>

namespace tests {

/// The folder of built-in networks, beside the recorded suites.
inline std::string modelFolder() {
  const auto share = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "../share/opbench";
  return std::filesystem::canonical(share / "recorded").parent_path() / "models";
}

/// The archive of a built-in network.
inline std::string modelPath(const std::string& name) { return modelFolder() + "/" + name + ".pt2"; }

/// A small archive of tests/inputs/models.
inline std::string smallModelPath(const std::string& name) {
  return std::filesystem::path(modelFolder()).parent_path().parent_path() / "tests/inputs/models" / (name + ".pt2");
}

}  // namespace tests
