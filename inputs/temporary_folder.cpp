#include "inputs/temporary_folder.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "ir/error.h"

namespace inputs {

TemporaryFolder::TemporaryFolder(std::string_view name) {
  std::string pattern = std::filesystem::temp_directory_path() / fmt::format("opbench-{}-XXXXXX", name);
  if (::mkdtemp(pattern.data()) == nullptr)
    ir::fail(ir::ErrorKind::Input, "cannot make the folder {}: {}", pattern, std::strerror(errno));
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code notRemoved;
  std::filesystem::remove_all(path_, notRemoved);
}

}  // namespace inputs
