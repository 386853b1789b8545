// Which folders a cache is opened in, and what it says of others.
#include <doctest/doctest.h>
#include <unistd.h>

#include "tests/runtime/build/cache_bed.h"

namespace {

namespace fs = std::filesystem;

using runtime::Cache;
using tests::CacheBed, tests::modeOf, tests::setMode;

}  // namespace

TEST_CASE("folders and files that are made are the user's alone, whatever the mask says") {
  for (const mode_t mask : {mode_t{0}, mode_t{022}, mode_t{077}}) {
    CacheBed bed;
    bed.settings.folder = bed.folder.path / "x/y/cache";
    const mode_t before = umask(mask);
    CHECK(bed.complaint() == "");
    umask(before);
    for (const char* made : {"x", "x/y", "x/y/cache", "state"}) CHECK(modeOf(bed.folder.path / made) == 0700);
    for (const auto& entry : fs::directory_iterator(bed.settings.folder)) CHECK(modeOf(entry.path()) == 0600);
    CHECK(modeOf(bed.key) == 0600);
  }
}

TEST_CASE("a folder that others may read is closed to them; what it holds is kept") {
  const CacheBed bed;
  bed.keep();
  for (const char* name : {"tuning.jsonl", "tuning.jsonl.lock", "0123456789abcdef0123456789abcdef.mO3abc", ".new-0123"})
    tests::writeOwn(bed.path / name, "as older versions leave it");
  setMode(bed.path, 0755);
  CHECK(Cache(bed.settings).find("key"));
  CHECK(modeOf(bed.path) == 0700);
}

TEST_CASE("a folder that others may read and that holds something else is not used, and not closed to them") {
  const CacheBed bed;
  bed.keep();
  setMode(bed.path, 0755);
  fs::create_directory(bed.path / "bin");
  CHECK(bed.complaint() == "others can read it, and it holds more than a cache (bin); use a separate folder");
  CHECK(modeOf(bed.path) == 0755);
  setMode(bed.path, 0700);
  CHECK(bed.complaint() == "");
}

TEST_CASE("a folder that others may write is not used, and left as it is") {
  const CacheBed bed;
  bed.keep();
  for (const mode_t mode : {mode_t{0770}, mode_t{0777}, mode_t{0702}, mode_t{01777}, mode_t{02770}}) {
    setMode(bed.path, mode);
    CHECK(bed.complaint().starts_with("others can write to it"));
    CHECK(modeOf(bed.path) == mode);
  }
}

TEST_CASE("a folder that belongs to somebody else is not used") {
  const CacheBed bed;
  bed.keep();
  if (chown(bed.path.c_str(), 12345, 12345) != 0) return;  // which root alone may do
  CHECK(bed.complaint() == "it belongs to user 12345");
}

TEST_CASE("what is no folder is not used, and nobody waits for it") {
  const CacheBed bed;
  SUBCASE("a file") {
    std::ofstream(bed.path) << "text";
    CHECK(bed.complaint() == "Not a directory");
  }
  SUBCASE("a FIFO") {
    REQUIRE(mkfifo(bed.path.c_str(), 0600) == 0);
    CHECK(bed.complaint() == "Not a directory");
  }
  SUBCASE("a link, also to a folder of the user's, also with a slash behind it") {
    fs::create_directory(bed.folder.path / "other");
    setMode(bed.folder.path / "other", 0755);
    fs::create_directory_symlink(bed.folder.path / "other", bed.path);
    CHECK(bed.complaint() == "it is a link; use the folder it points to");
    CacheBed slash;
    slash.settings.folder = bed.settings.folder + "/";
    CHECK(slash.complaint() == "it is a link; use the folder it points to");
    CHECK(modeOf(bed.folder.path / "other") == 0755);
  }
  SUBCASE("a file where a folder above it should be") {
    CacheBed below;
    std::ofstream(below.path) << "text";
    below.settings.folder += "/below";
    CHECK(below.complaint() == "Not a directory");
  }
}

TEST_CASE("whoever may write into the folder above can take the cache away, and no more") {
  const CacheBed bed;
  setMode(bed.folder.path, 0777);
  CHECK(bed.complaint() == "");
  const Cache cache(bed.settings);
  fs::rename(bed.path, bed.folder.path / "aside");
  fs::create_directory(bed.path);
  setMode(bed.path, 0777);
  CHECK(cache.find("key"));
  CHECK(bed.complaint().starts_with("others can write to it"));
}

TEST_CASE("no folder: nothing is kept, and nothing is complained about") {
  const Cache none(runtime::CacheSettings{});
  none.put("key", "bytes");
  CHECK(!none.find("key"));
  CHECK(none.complaint() == "");
  CHECK(!none.isOpen());
  none.evict();
  Cache().put("key", "bytes");
}
