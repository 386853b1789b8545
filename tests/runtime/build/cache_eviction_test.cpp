// What a cache gives up for its size, and what stays.
#include <doctest/doctest.h>
#include <unistd.h>

#include "tests/runtime/build/cache_bed.h"

namespace {

namespace fs = std::filesystem;

using runtime::Cache;
using tests::age, tests::ageOf, tests::CacheBed, tests::writeOwn;

constexpr int64_t hour = 3600, day = 24 * hour;

}  // namespace

TEST_CASE("beyond the limit the entries go that were used least recently, until three quarters of it are left") {
  CacheBed bed;
  bed.settings.mostBytes = 100'000;
  const Cache cache = bed.cache();
  // Ten of 10 kB and a head, the first of them used last.
  const auto keyOf = [](int i) { return "key" + std::to_string(i); };
  for (int i = 0; i < 10; ++i) {
    fs::create_directories(bed.path);
    Cache({bed.settings.folder, bed.settings.keyFile, false, 0}).put(keyOf(i), std::string(10'000, 'x'));
    age(bed.entryOf(keyOf(i)), 100 * (10 - i));
  }
  writeOwn(bed.path / "tuning.jsonl", std::string(50'000, ' '));
  age(bed.path / "tuning.jsonl", day);
  CHECK(cache.use().entries == 10);
  CHECK(cache.use().bytes > 100'000);
  age(bed.entryOf(keyOf(0)), 0);
  cache.evict();
  CHECK(cache.find(keyOf(0)));
  for (int i = 1; i < 4; ++i) CHECK_MESSAGE(!cache.find(keyOf(i)), i);
  for (int i = 4; i < 10; ++i) CHECK_MESSAGE(cache.find(keyOf(i)), i);
  CHECK(fs::exists(bed.path / "tuning.jsonl"));
  CHECK(cache.use().bytes < 75'000);
}

TEST_CASE("a process that writes an eighth of the limit has the entries counted") {
  CacheBed bed;
  bed.settings.mostBytes = 100'000;
  const Cache cache = bed.cache();
  for (int i = 0; i < 100; ++i) cache.put(std::to_string(i), std::string(5'000, 'x'));
  CHECK(cache.use().bytes <= 112'500);
  CHECK(cache.use().entries > 10);
  bed.settings.mostBytes = 0;
  const Cache boundless = bed.cache();
  for (int i = 0; i < 100; ++i) boundless.put(std::to_string(i), std::string(5'000, 'x'));
  boundless.evict();
  CHECK(boundless.use().entries == 100);
}

TEST_CASE("an entry that is found counts as used, once a day") {
  const CacheBed bed;
  const Cache cache = bed.cache();
  cache.put("key", "bytes");
  const fs::path entry = bed.entryOf("key");
  age(entry, 2 * day);
  CHECK(cache.find("key"));
  CHECK(ageOf(entry) < hour);
  age(entry, 2 * hour);
  CHECK(cache.find("key"));
  CHECK(ageOf(entry) >= 2 * hour);
}

TEST_CASE("what a process left that died as it wrote goes in time; what may still be written stays") {
  const CacheBed bed;
  const Cache cache = bed.cache();
  writeOwn(bed.path / ".new-0123456789abcdef", "half an ent");
  writeOwn(bed.path / ".new-fedcba9876543210", "half an ent");
  age(bed.path / ".new-0123456789abcdef", 2 * hour);
  cache.evict();
  CHECK(bed.files() == std::vector<fs::path>{bed.path / ".new-fedcba9876543210"});
}

TEST_CASE("processes that evict, write and read at once do not mind each other") {
  CacheBed bed;
  bed.settings.mostBytes = 100'000;
  bed.cache().put("shared", "bytes");
  std::vector<pid_t> writers;
  for (int writer = 0; writer < 4; ++writer) {
    const pid_t child = fork();
    if (child == 0) {
      const Cache cache = bed.cache();
      bool isRight = true;
      for (int i = 0; i < 200; ++i) {
        const std::string key = std::to_string(i % 37), bytes(5'000, static_cast<char>('a' + i % 37));
        const auto found = cache.find(key);
        isRight = isRight && (!found || *found == bytes);
        cache.put(key, bytes);
      }
      _exit(isRight ? 0 : 1);
    }
    writers.push_back(child);
  }
  for (const pid_t writer : writers) CHECK(tests::statusOf(writer) == 0);
  bed.cache().evict();
  CHECK(bed.cache().use().bytes <= 100'000);
}
