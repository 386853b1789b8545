#include "opbench/files.h"

#include <cerrno>
#include <cstring>
#include <fstream>

#include "ir/error.h"

namespace opbench {

void writeFile(const std::string& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush()) ir::fail(ir::ErrorKind::Input, "cannot write {}: {}", path, std::strerror(errno));
}

}  // namespace opbench
