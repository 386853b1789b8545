// The on-disk cache: what goes in comes out, or nothing does.
#include "runtime/build/cache.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include "runtime/build/sha256.h"
#include "tests/runtime/build/cache_bed.h"

namespace {

namespace fs = std::filesystem;

using runtime::Cache;
using tests::CacheBed, tests::writeOwn;

/// The sum that entries had before they had a key, which anybody can make.
std::array<uint64_t, 2> publicSum(std::string_view data, std::array<uint64_t, 2> state) {
  constexpr std::array<uint64_t, 2> multipliers{0x9E3779B97F4A7C15ULL, 0xC2B2AE3D27D4EB4FULL};
  const auto mix = [&](uint64_t word) {
    for (size_t i = 0; i < 2; ++i) {
      state[i] = (state[i] ^ word) * multipliers[i];
      state[i] ^= state[i] >> (29 + i);
    }
    state[0] += state[1];
  };
  mix(data.size());
  for (; !data.empty(); data.remove_prefix(std::min<size_t>(8, data.size()))) {
    uint64_t word = 0;
    std::memcpy(&word, data.data(), std::min<size_t>(8, data.size()));
    mix(word);
  }
  mix(state[1]);
  mix(state[0]);
  return state;
}

template <typename Value>
std::string bytesOf(const Value& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

std::string forged(const std::string& magic, const std::string& key, const std::string& content, const std::string& sum) {
  return magic + bytesOf(uint64_t{key.size()}) + bytesOf(uint64_t{content.size()}) + sum + key + content;
}

}  // namespace

TEST_CASE("bytes are found under their key and no other") {
  const CacheBed bed;
  const Cache cache = bed.cache();
  CHECK(cache.complaint() == "");
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
  CHECK(bed.cache().find("key") == "other");
}

TEST_CASE("a damaged entry reads as missing: cut short, made longer, or any bit flipped") {
  const CacheBed bed;
  const Cache cache = bed.cache();
  cache.put("key", "the bytes of an entry");
  const fs::path file = bed.entryOf("key");
  const std::string entry = tests::contentOf(file);
  for (size_t size = 0; size < entry.size(); ++size) {
    writeOwn(file, entry.substr(0, size));
    REQUIRE(!cache.find("key"));
  }
  writeOwn(file, entry + "x");
  CHECK(!cache.find("key"));
  for (size_t bit = 0; bit < 8 * entry.size(); ++bit) {
    std::string damaged = entry;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    writeOwn(file, damaged);
    REQUIRE(!cache.find("key"));
  }
  writeOwn(file, entry);
  CHECK(cache.find("key") == "the bytes of an entry");
}

TEST_CASE("an entry moved to another key's place is not believed") {
  const CacheBed bed;
  const Cache cache = bed.cache();
  cache.put("first", "1");
  fs::rename(bed.entryOf("first"), bed.entryOf("other"));
  CHECK(!cache.find("other"));
}

TEST_CASE("an entry that somebody without the key has made is not believed") {
  const CacheBed bed;
  const Cache cache = bed.cache();
  const std::string key = "key", content = "code of another's";
  const auto before = publicSum(content, publicSum(key, {key.size(), content.size()}));
  const auto name = publicSum(key, {1, 2});
  writeOwn(bed.path / fmt::format("{:016x}{:016x}", name[0], name[1]), forged("opbcach1", key, content, bytesOf(before)));
  CHECK(!cache.find(key));
  writeOwn(bed.entryOf(key), forged("opbcach1", key, content, bytesOf(before)));
  CHECK(!cache.find(key));
  for (const runtime::Key& guess : {runtime::Key{}, runtime::Key{1}}) {
    const runtime::Sum sum = runtime::keyedSum(
        guess, {forged("opbcach2", key, content, std::string(32, '\0')).substr(0, 56), runtime::digest(key), content});
    writeOwn(bed.entryOf(key), forged("opbcach2", key, content, bytesOf(sum)));
    CHECK(!cache.find(key));
  }
  cache.put(key, content);
  CHECK(cache.find(key) == content);
}

TEST_CASE("what is no file of the user's in an entry's place is a miss, and an entry takes its place") {
  const CacheBed bed;
  const Cache cache = bed.cache();
  cache.put("key", "bytes");
  const fs::path entry = bed.entryOf("key"), elsewhere = bed.folder.path / "elsewhere";
  const auto heals = [&] {
    CHECK(!cache.find("key"));
    cache.put("key", "bytes");
    CHECK(cache.find("key") == "bytes");
  };
  SUBCASE("a folder") {
    fs::remove(entry);
    fs::create_directory(entry);
    heals();
  }
  SUBCASE("a folder that holds something, which is left") {
    fs::remove(entry);
    fs::create_directories(entry / "below");
    CHECK(!cache.find("key"));
    cache.put("key", "bytes");
    CHECK(!cache.find("key"));
    CHECK(bed.files().size() == 1);
  }
  SUBCASE("a FIFO, which does not keep anybody waiting") {
    fs::remove(entry);
    REQUIRE(mkfifo(entry.c_str(), 0600) == 0);
    heals();
  }
  SUBCASE("a link, also to what would be an entry; what it leads to is not written to") {
    fs::rename(entry, elsewhere);
    const std::string before = tests::contentOf(elsewhere);
    fs::create_symlink(elsewhere, entry);
    heals();
    CHECK(tests::contentOf(elsewhere) == before);
    CHECK(!fs::is_symlink(entry));
  }
  SUBCASE("a link to an endless device") {
    fs::remove(entry);
    fs::create_symlink("/dev/zero", entry);
    heals();
  }
  SUBCASE("a file that others may write") {
    fs::permissions(entry, fs::perms::group_write, fs::perm_options::add);
    heals();
  }
  SUBCASE("a file of somebody else's") {
    if (chown(entry.c_str(), 12345, 12345) != 0) return;  // which root alone may do
    heals();
  }
  SUBCASE("a huge file, of which nothing is read") {
    fs::resize_file(entry, uintmax_t{1} << 40);
    heals();
  }
}

TEST_CASE("an entry of more than 64 MiB is not kept") {
  const CacheBed bed;
  const Cache cache = bed.cache();
  cache.put("key", std::string((size_t{64} << 20) + 1, 'x'));
  CHECK(bed.files().empty());
}

TEST_CASE("processes that write one key at once leave a whole entry and no litter") {
  const CacheBed bed;
  const Cache cache = bed.cache();
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
  for (const pid_t writer : writers) CHECK(tests::statusOf(writer) == 0);
  CHECK(bed.files().size() == 1);
}

TEST_CASE("a folder that is replaced while it is open does no harm: entries go to the one that was opened") {
  const CacheBed bed;
  const Cache cache = bed.cache();
  cache.put("key", "bytes");
  const fs::path aside = bed.folder.path / "aside";
  fs::rename(bed.path, aside);
  SUBCASE("by another folder") {
    fs::create_directory(bed.path);
    cache.put("second", "bytes");
    CHECK(bed.files().empty());
  }
  SUBCASE("by a file") { writeOwn(bed.path, "no folder"); }
  SUBCASE("by nothing") {}
  CHECK(cache.find("key") == "bytes");
  cache.put("third", "bytes");
  CHECK(cache.find("third") == "bytes");
  fs::remove_all(aside);
  CHECK(!cache.find("key"));
  cache.put("key", "bytes");
  CHECK(!cache.find("key"));
  cache.evict();
}

TEST_CASE("SHA-256 in base64: the standard's example") {
  CHECK(runtime::sha256Base64("abc") == "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
}

TEST_CASE("a digest is the first half of BLAKE3's; a sum depends on the key and on every part") {
  CHECK(runtime::digest("") == "af1349b9f5f9a1a6a0404dea36dcc949");
  CHECK(runtime::digest("abc") == "6437b3ac38465133ffb63b75273a8db5");
  const runtime::Key key{1, 2, 3};
  CHECK(runtime::keyedSum(key, {"ab", "c"}) == runtime::keyedSum(key, {"abc"}));
  CHECK(runtime::keyedSum(key, {"abd"}) != runtime::keyedSum(key, {"abc"}));
  CHECK(runtime::keyedSum({1, 2, 4}, {"abc"}) != runtime::keyedSum(key, {"abc"}));
}
