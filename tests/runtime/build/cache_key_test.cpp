// The secret by which entries are believed: who makes it, and which is none.
#include <doctest/doctest.h>
#include <unistd.h>

#include "tests/runtime/build/cache_bed.h"

namespace {

namespace fs = std::filesystem;

using runtime::Cache;
using tests::CacheBed, tests::setMode;

}  // namespace

TEST_CASE("entries are believed by the key alone that they were made with") {
  CacheBed bed;
  bed.keep();
  CHECK(Cache(bed.settings).find("key"));
  fs::rename(bed.key, bed.folder.path / "before");
  CHECK(!Cache(bed.settings).find("key"));
  CHECK(bed.complaint() == "");
  CHECK(tests::contentOf(bed.key) != tests::contentOf(bed.folder.path / "before"));
}

TEST_CASE("a key that is no secret is not used") {
  const CacheBed bed;
  bed.keep();
  const std::string advice = "its key " + bed.settings.keyFile +
                             ": it is not a file of 32 bytes and mode 0600 that belongs to the user; remove it to get a new one";
  SUBCASE("others may read it") {
    setMode(bed.key, 0644);
    CHECK(bed.complaint() == advice);
  }
  SUBCASE("others may write it") {
    setMode(bed.key, 0620);
    CHECK(bed.complaint() == advice);
  }
  SUBCASE("it is too short") {
    fs::resize_file(bed.key, 31);
    CHECK(bed.complaint() == advice);
  }
  SUBCASE("it is too long") {
    fs::resize_file(bed.key, 33);
    CHECK(bed.complaint() == advice);
  }
  SUBCASE("it is a link") {
    fs::rename(bed.key, bed.folder.path / "key");
    fs::create_symlink(bed.folder.path / "key", bed.key);
    CHECK(bed.complaint() == advice);
  }
  SUBCASE("it is a FIFO") {
    fs::remove(bed.key);
    REQUIRE(mkfifo(bed.key.c_str(), 0600) == 0);
    CHECK(bed.complaint() == advice);
  }
  SUBCASE("it belongs to somebody else") {
    if (chown(bed.key.c_str(), 12345, 12345) != 0) return;  // which root alone may do
    CHECK(bed.complaint() == advice);
  }
  SUBCASE("others may write into its folder") {
    setMode(bed.key.parent_path(), 0777);
    CHECK(bed.complaint().starts_with("its key " + bed.settings.keyFile + ": others can write to it"));
  }
  CHECK(fs::symlink_status(bed.key).type() != fs::file_type::not_found);
}

TEST_CASE("without a place for the key the cache is not used") {
  CacheBed bed;
  SUBCASE("none is known") {
    bed.settings.keyFile.clear();
    CHECK(bed.complaint() == "no place for its key; set XDG_STATE_HOME or HOME");
  }
  SUBCASE("it cannot be made") {
    std::ofstream(bed.folder.path / "state") << "no folder";
    CHECK(bed.complaint() == "its key " + bed.settings.keyFile + ": Not a directory");
  }
}

TEST_CASE("of processes that need a new key at once one makes it, and all find the same") {
  const CacheBed bed;
  for (int round = 0; round < 10; ++round) {
    fs::remove_all(bed.key.parent_path());
    fs::remove_all(bed.path);
    std::vector<pid_t> processes;
    for (int i = 0; i < 8; ++i) {
      const pid_t child = fork();
      if (child == 0) {
        const Cache cache(bed.settings);
        cache.put(std::to_string(i), "bytes");
        _exit(cache.isOpen() ? 0 : 1);
      }
      processes.push_back(child);
    }
    for (const pid_t process : processes) CHECK(tests::statusOf(process) == 0);
    const Cache cache(bed.settings);
    for (int i = 0; i < 8; ++i) CHECK(cache.find(std::to_string(i)) == "bytes");
    CHECK(std::distance(fs::directory_iterator(bed.key.parent_path()), {}) == 1);
  }
}
