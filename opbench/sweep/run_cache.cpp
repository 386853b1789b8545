#include "opbench/sweep/run_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace opbench {
namespace {

namespace fs = std::filesystem;

using inputs::Descriptor;

constexpr std::string_view prefix = "opbench-", pattern = "opbench-XXXXXX";
/// A run's folder has a file of this name, which the run has locked.
constexpr const char* lockName = "opbench-run.lock";

fs::path temporaryFolder() {
  std::error_code error;
  const fs::path folder = fs::temp_directory_path(error);
  return error ? "/tmp" : folder;
}

bool lock(const Descriptor& file) { return file.isOpen() && ::flock(file.number(), LOCK_EX | LOCK_NB) == 0; }

/// The lock has its name only once it is held: a folder whose lock is free is nobody's.
Descriptor lockFolder(const std::string& folder) {
  const std::string path = folder + "/" + lockName, aside = path + ".new";
  Descriptor file(::open(aside.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  return lock(file) && ::rename(aside.c_str(), path.c_str()) == 0 ? std::move(file) : Descriptor();
}

/// Whether a folder is one that a run of this user's has made, and the run has ended.
bool isAbandoned(const fs::path& path) {
  const Descriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat status{};
  if (!folder.isOpen() || ::fstat(folder.number(), &status) != 0 || status.st_uid != ::geteuid()) return false;
  return lock(Descriptor(::openat(folder.number(), lockName, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)));
}

void removeAbandoned() {
  std::error_code error;
  for (fs::directory_iterator entry(temporaryFolder(), error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    std::error_code notRemoved;
    if (name.starts_with(prefix) && name.size() == pattern.size() && isAbandoned(entry->path()))
      fs::remove_all(entry->path(), notRemoved);
  }
}

}  // namespace

RunCache::RunCache(const runtime::CacheSettings& users, bool needsOne) : settings_(users) {
  removeAbandoned();
  const runtime::Cache cache(users);
  cache.evict();
  if (!cache.complaint().empty()) complaints_.push_back(cache.complaint());
  if (cache.isOpen()) return;
  settings_.folder.clear();
  if (needsOne) makeFolder();
}

RunCache::~RunCache() {
  std::error_code error;
  if (!ours_.empty()) fs::remove_all(ours_, error);
}

void RunCache::makeFolder() {
  std::string folder = temporaryFolder() / pattern;
  if (::mkdtemp(folder.data()) == nullptr) {
    complaints_.push_back(
        fmt::format("cannot make the folder {}: {}; each sample is compiled in its worker", folder, std::strerror(errno)));
    return;
  }
  ours_ = folder;
  lock_ = lockFolder(folder);
  settings_ = {folder, folder + "/cache.key", false, settings_.mostBytes};
}

}  // namespace opbench
