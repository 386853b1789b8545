#include "runtime/torch/release.h"

#include <torch/headeronly/version.h>

#include <filesystem>
#include <fstream>

namespace runtime {

ir::AtenRules atenRules() { return {.clampIgnoresNaN = TORCH_VERSION_MINOR < 12}; }

std::string torchVersion(const std::string& lib) {
  const std::string before = "__version__ = '";
  std::ifstream file(std::filesystem::path(lib).parent_path() / "version.py");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(before)) return line.substr(before.size(), line.find_first_of("+'", before.size()) - before.size());
  return TORCH_VERSION;
}

}  // namespace runtime
