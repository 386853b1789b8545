// Times of copies that were measured, and what they say of other sizes.
#include "opbench/measure/device/copy_times.h"

#include <doctest/doctest.h>

using opbench::CachedCopyTimes;
using opbench::cachedCopyTimesOf;
using opbench::CopyTimes;

namespace {

const CopyTimes measured{{{1000, 4e-6}, {100000, 4e-6}, {10000000, 16e-6}}};

}  // namespace

TEST_CASE("a copy takes the launch while it is small, then as long as memory takes") {
  CHECK(measured.seconds(8) == 4e-6);
  CHECK(measured.seconds(5000) == doctest::Approx(4e-6));
  CHECK(measured.seconds(1000000) == doctest::Approx(8e-6));
  CHECK(measured.seconds(10000000) == doctest::Approx(16e-6));
  CHECK(measured.seconds(40000000) == doctest::Approx(64e-6));
  CHECK(CopyTimes().seconds(1000) == 0);
}

TEST_CASE("the cache keeps copy times for 30 days, and nothing that is none") {
  constexpr int64_t day = 24 * 3600, then = 1'700'000'000;
  const std::string text = toText(CachedCopyTimes{measured, then, 2});
  const auto kept = cachedCopyTimesOf(text, then + 29 * day);
  REQUIRE(kept);
  CHECK((kept->times.points == measured.points));
  CHECK(kept->measured == then);
  CHECK(kept->disturbed == 2);
  CHECK_FALSE(cachedCopyTimesOf(text, then + 31 * day));
  for (const char* bad :
       {"", "{}", "[]", R"({"points": [], "measured": 1700000000})", R"({"points": [[8, 0]], "measured": 1700000000})",
        R"({"points": [[8, 1e-6], [8, 2e-6]], "measured": 1700000000})", R"({"points": [[8]], "measured": 1700000000})",
        R"({"points": [[8, "1e-6"]], "measured": 1700000000})", R"({"points": [[8, 1e-6]], "measured": "x"})"})
    CHECK_FALSE(cachedCopyTimesOf(bad, then));
}
