#pragma once

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "runtime/build/cache.h"
#include "runtime/build/hash.h"
#include "tests/cache_settings.h"
#include "tests/opbench/temporary_folder.h"

namespace tests {

/// A folder for a cache and its key.
struct CacheBed {
  TemporaryFolder folder;
  runtime::CacheSettings settings = cacheIn(folder.path);
  std::filesystem::path path = settings.folder, key = settings.keyFile;

  runtime::Cache cache() const { return runtime::Cache(settings); }
  void keep() const { cache().put("key", "bytes"); }
  std::vector<std::filesystem::path> files() const {
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::directory_iterator(path)) found.push_back(entry.path());
    return found;
  }
  std::filesystem::path entryOf(const std::string& name) const { return path / runtime::digest(name); }

  /// Why it is not used; empty where it is, and then it keeps something.
  std::string complaint() const {
    const runtime::Cache cache(settings);
    CHECK(cache.isOpen() == cache.complaint().empty());
    cache.put("key", "bytes");
    CHECK(cache.find("key").has_value() == cache.isOpen());
    const std::string head = "cache " + settings.folder + " is not used: ";
    if (cache.complaint().empty()) return "";
    CHECK_MESSAGE(cache.complaint().starts_with(head), cache.complaint());
    CHECK(cache.complaint().find('\n') == std::string::npos);
    return cache.complaint().substr(head.size());
  }
};

inline mode_t modeOf(const std::filesystem::path& path) {
  struct stat status{};
  REQUIRE(lstat(path.c_str(), &status) == 0);
  return status.st_mode & 07777;
}

inline void setMode(const std::filesystem::path& path, mode_t mode) { REQUIRE(chmod(path.c_str(), mode) == 0); }

/// Writes a file of the user's alone.
inline void writeOwn(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
  setMode(path, 0600);
}

/// Has a file count as used so many seconds ago.
inline void age(const std::filesystem::path& path, int64_t seconds) {
  std::filesystem::last_write_time(path, std::filesystem::file_time_type::clock::now() - std::chrono::seconds(seconds));
}

inline int64_t ageOf(const std::filesystem::path& path) {
  const auto age = std::filesystem::file_time_type::clock::now() - std::filesystem::last_write_time(path);
  return std::chrono::duration_cast<std::chrono::seconds>(age).count();
}

/// Waits for a child process. Returns its exit status, or -1.
inline int statusOf(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace tests
