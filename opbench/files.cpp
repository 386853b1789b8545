#include "opbench/files.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "ir/error.h"

namespace opbench {

void writeFile(const std::string& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush()) ir::fail(ir::ErrorKind::Input, "cannot write {}: {}", path, std::strerror(errno));
}

std::string readFile(const std::string& path) {
  constexpr size_t largest = size_t{1} << 30, block = size_t{1} << 16;
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) ir::fail(ir::ErrorKind::Input, "cannot read {}: it is a folder", path);
  std::ifstream stream(path, std::ios::binary);
  if (!stream) ir::fail(ir::ErrorKind::Input, "cannot read {}: {}", path, std::strerror(errno));
  std::string text;
  for (std::string part(block, '\0'); stream; text.append(part, 0, static_cast<size_t>(stream.gcount()))) {
    stream.read(part.data(), static_cast<std::streamsize>(part.size()));
    if (text.size() > largest) ir::fail(ir::ErrorKind::Input, "cannot read {}: it holds more than {} bytes", path, largest);
  }
  return text;
}

}  // namespace opbench
