// The on-disk cache: what goes in comes out, or nothing does.
#include "runtime/cache.h"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

/// A folder that is gone at the end.
struct Folder {
  fs::path path = fs::temp_directory_path() / ("opbench_cache_test_" + std::to_string(getpid()));
  Folder() { fs::remove_all(path); }
  ~Folder() { fs::remove_all(path); }
  runtime::Cache cache() const { return runtime::Cache((path / "made/when/needed").string()); }
  fs::path onlyFile() const {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(path / "made/when/needed")) files.push_back(entry.path());
    REQUIRE(files.size() == 1);
    return files[0];
  }
};

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
void write(const fs::path& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

}  // namespace

TEST_CASE("bytes are found under their key and no other") {
  const Folder folder;
  const runtime::Cache cache = folder.cache();
  CHECK(!cache.find("key"));
  const std::string bytes("some\0bytes", 10);
  cache.put("key", bytes);
  CHECK(cache.find("key") == bytes);
  CHECK(!cache.find("key2"));
  CHECK(!cache.find("ke"));
  cache.put("key", "other");
  CHECK(cache.find("key") == "other");
  cache.put("", "");
  CHECK(cache.find("") == "");
  CHECK(runtime::Cache(cache.folder()).find("key") == "other");
}

TEST_CASE("a damaged entry reads as missing: cut short, made longer, or any bit flipped") {
  const Folder folder;
  const runtime::Cache cache = folder.cache();
  cache.put("key", "the bytes of an entry");
  const fs::path file = folder.onlyFile();
  const std::string entry = read(file);
  for (size_t size = 0; size < entry.size(); ++size) {
    write(file, entry.substr(0, size));
    REQUIRE(!cache.find("key"));
  }
  write(file, entry + "x");
  CHECK(!cache.find("key"));
  for (size_t bit = 0; bit < 8 * entry.size(); ++bit) {
    std::string damaged = entry;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    write(file, damaged);
    REQUIRE(!cache.find("key"));
  }
  write(file, entry);
  CHECK(cache.find("key") == "the bytes of an entry");
}

TEST_CASE("an entry moved to another key's place is not believed") {
  const Folder folder;
  const runtime::Cache cache = folder.cache();
  cache.put("first", "1");
  const std::string entry = read(folder.onlyFile());
  fs::remove(folder.onlyFile());
  cache.put("other", "2");
  write(folder.onlyFile(), entry);
  CHECK(!cache.find("other"));
}

TEST_CASE("processes that write one key at once leave a whole entry and no litter") {
  const Folder folder;
  const runtime::Cache cache = folder.cache();
  const auto bytesOf = [](int writer) { return std::string(50000, static_cast<char>('a' + writer)); };
  cache.put("key", bytesOf(0));
  std::vector<pid_t> writers;
  for (int writer = 0; writer < 4; ++writer) {
    const pid_t child = fork();
    if (child == 0) {
      for (int i = 0; i < 50; ++i) cache.put("key", bytesOf(writer));
      _exit(0);
    }
    writers.push_back(child);
  }
  for (int i = 0; i < 200; ++i) {
    const std::optional<std::string> found = cache.find("key");
    REQUIRE(found);
    REQUIRE(*found == bytesOf((*found)[0] - 'a'));
  }
  for (const pid_t writer : writers) waitpid(writer, nullptr, 0);
  CHECK(!folder.onlyFile().empty());
}

TEST_CASE("a folder that cannot be written, and no folder at all, keep nothing and do no harm") {
  runtime::Cache("").put("key", "bytes");
  CHECK(!runtime::Cache("").find("key"));
  const Folder folder;
  write(folder.path, "a file where the folder should be");
  const runtime::Cache blocked((folder.path / "below").string());
  blocked.put("key", "bytes");
  CHECK(!blocked.find("key"));
}
