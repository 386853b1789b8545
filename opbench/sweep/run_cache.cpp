#include "opbench/sweep/run_cache.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "ir/error.h"

namespace opbench {

namespace fs = std::filesystem;

RunCache::RunCache(std::string usersFolder) : folder_(std::move(usersFolder)), isOurs_(folder_.empty()) {
  if (!isOurs_) return;
  folder_ = fs::temp_directory_path() / "opbench-XXXXXX";
  if (::mkdtemp(folder_.data()) == nullptr)
    ir::fail(ir::ErrorKind::Toolchain, "cannot make the folder {}: {}", folder_, std::strerror(errno));
}

RunCache::~RunCache() {
  std::error_code error;
  if (isOurs_) fs::remove_all(folder_, error);
}

}  // namespace opbench
