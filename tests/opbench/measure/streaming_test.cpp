// From which size on stores bypass a CPU's caches: measured once, kept, and not believed for ever.
#include "opbench/measure/device/streaming.h"

#include <doctest/doctest.h>

#include "runtime/devices/open.h"
#include "tests/cache_settings.h"
#include "tests/opbench/temporary_folder.h"

using namespace opbench;

namespace {

constexpr int64_t mb = int64_t{1} << 20, aDay = 24 * 3600;

}  // namespace

TEST_CASE("stores bypass the caches from where they gain, and at every larger size") {
  CHECK(streamedBytesOf({{2 * mb, 0.5}, {4 * mb, 0.7}, {8 * mb, 1.1}, {16 * mb, 1.4}}) == 8 * mb - 1);
  CHECK(streamedBytesOf({{2 * mb, 1.2}, {4 * mb, 0.7}, {8 * mb, 0.9}, {16 * mb, 1.4}}) == 16 * mb - 1);
  CHECK(streamedBytesOf({{2 * mb, 1.2}, {4 * mb, 1.3}}) == 2 * mb - 1);
}

TEST_CASE("a gain within the noise is none") { CHECK(streamedBytesOf({{2 * mb, 1.01}, {4 * mb, 1.3}}) == 4 * mb - 1); }

TEST_CASE("where they lose at the largest size, no tensor is large enough") {
  CHECK(streamedBytesOf({{2 * mb, 1.5}, {4 * mb, 1.5}, {8 * mb, 0.9}}) > int64_t{1} << 40);
}

TEST_CASE("the size is kept for 30 days") {
  CHECK(streamedBytesIn(streamedText(6 * mb, today - 29 * aDay), today) == 6 * mb);
  CHECK(!streamedBytesIn(streamedText(6 * mb, today - 31 * aDay), today));
  CHECK(!streamedBytesIn(streamedText(6 * mb, today + 2 * aDay), today));
  for (const char* text : {"", "{}", "[]", "12", "not JSON", R"({"bytes":-1,"measured":2000000000})",
                           R"({"bytes":"1","measured":2000000000})", R"({"bytes":1e30,"measured":2000000000})"})
    CHECK_MESSAGE(!streamedBytesIn(text, today), text);
}

TEST_CASE("a CPU is measured once, and schedules by what was found") {
  const tests::TemporaryFolder folder;
  const runtime::Cache cache(tests::cacheIn(folder.path));
  const auto device = runtime::openDevice("cpu", 1);
  const auto bytes = streamedBytesOf(*device, cache);
  REQUIRE(bytes);
  CHECK(*bytes > 0);
  CHECK(streamedBytesOf(*device, cache) == bytes);
  cache.put(streamedKey(*device), "odd");
  CHECK(streamedBytesOf(*device, cache).value_or(0) > 0);
  device->setStreamedBytes(*bytes);
  CHECK(device->target().streamedBytes == *bytes);
}
