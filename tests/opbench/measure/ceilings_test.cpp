// What a device can do: measured, kept, and not believed for ever.
#include "opbench/measure/device/ceilings.h"

#include <doctest/doctest.h>

#include <ctime>
#include <limits>

#include "opbench/measure/device/cached_ceilings.h"
#include "opbench/measure/device/copy_times.h"
#include "opbench/sweep/sample_runner.h"
#include "runtime/devices/open.h"
#include "tests/cache_settings.h"
#include "tests/opbench/temporary_folder.h"

using namespace opbench;

namespace {

constexpr int64_t today = 2'000'000'000, day = 24 * 3600;

/// The text of ceilings of which one field is another.
std::string keptWith(const std::string& name, const std::string& value) {
  std::string text = "{";
  for (const auto& [field, usual] : {std::pair<std::string, std::string>{"copy", "2e10"},
                                     {"read", "3e10"},
                                     {"flops", "1e11"},
                                     {"launch_overhead", "1e-6"},
                                     {"measured", std::to_string(today)},
                                     {"disturbed", "0"}})
    text += (text.size() > 1 ? ",\"" : "\"") + field + "\":" + (field == name ? value : usual);
  return text + "}";
}

bool isKept(const std::string& text) { return cachedCeilingsOf(text, today).has_value(); }

/// What measuring gives that says so one time after another, and how often it was asked.
std::pair<double, int> settled(std::vector<double> times) {
  int asked = 0;
  const double seconds = settledSeconds([&] { return times.at(static_cast<size_t>(asked++)); });
  return {seconds, asked};
}

}  // namespace

TEST_CASE("ceilings are kept with when they were measured") {
  const CachedCeilings kept{{1.5e12, 1.6e12, 5e13, 3.9e-6}, today - day};
  const auto again = cachedCeilingsOf(toText(kept), today);
  REQUIRE(again);
  CHECK(again->ceilings.copy == 1.5e12);
  CHECK(again->ceilings.read == 1.6e12);
  CHECK(again->ceilings.flops == 5e13);
  CHECK(again->ceilings.launchOverhead == 3.9e-6);
  CHECK(again->measured == today - day);
  CHECK(again->raised == 0);
  CHECK(again->disturbed == 0);
  CHECK(isKept(keptWith("", "")));
}

TEST_CASE("ceilings are kept with when a time raised them, and whether other programs interrupted their measurement") {
  const auto again = cachedCeilingsOf(toText({{1.5e12, 1.6e12, 5e13, 3.9e-6}, today - day, today, 4}), today);
  REQUIRE(again);
  CHECK(again->raised == today);
  CHECK(again->disturbed == 4);
  CHECK(cachedCeilingsOf(keptWith("disturbed", "true"), today).value().disturbed == 1);  // as earlier versions kept it
}

TEST_CASE("ceilings that were measured on a busy machine are measured again by the next run, and the higher ones stand") {
  const tests::TemporaryFolder folder;
  const runtime::Cache cache(tests::cacheIn(folder.path));
  const auto device = runtime::openDevice("cpu", 1);
  const std::string key = ceilingsKey(*device, runtime::Flush::Write);
  cache.put(key, toText({{1, 1e14, 1, 0.01}, time(nullptr), 0, 1}));
  const Ceilings measured = ceilingsOf(*device, runtime::Flush::Write, cache);
  CHECK(measured.copy > 1);
  CHECK(measured.read == 1e14);
  CHECK(measured.flops > 1);
  CHECK(measured.launchOverhead < 0.01);
}

TEST_CASE("a machine that stays busy is measured by three runs in a row, then every ten minutes") {
  constexpr int64_t minute = 60;
  CHECK_FALSE(isDue(today, 0, today + day));
  CHECK(isDue(today, 2, today));
  CHECK_FALSE(isDue(today, 3, today + 9 * minute));
  CHECK(isDue(today, 3, today + 10 * minute));
  CHECK(isDue(today, 3, today - minute));  // a clock that was put back

  const tests::TemporaryFolder folder;
  const runtime::Cache cache(tests::cacheIn(folder.path));
  const auto device = runtime::openDevice("cpu", 1);
  const Ceilings known{1, 2, 3, 0.01};
  cache.put(ceilingsKey(*device, runtime::Flush::Write), toText({known, time(nullptr), 0, 3}));
  CHECK(ceilingsOf(*device, runtime::Flush::Write, cache) == known);
  cache.put(copyTimesKey(*device, runtime::Flush::Write), toText(CachedCopyTimes{{{{8, 1}}}, time(nullptr), 3}));
  CHECK(copyTimesOf(*device, runtime::Flush::Write, cache).points.size() == 1);
  cache.put(productRateKey("float32", *device), toText(CachedRate{5, time(nullptr), 3}));
  CHECK(productRate("float32", *device, cache) == 5);
}

TEST_CASE("ceilings that are raised stand in the cache, with the time, for as long as they would have") {
  const tests::TemporaryFolder folder;
  const runtime::Cache cache(tests::cacheIn(folder.path));
  const auto device = runtime::openDevice("cpu", 1);
  const std::string key = ceilingsKey(*device, runtime::Flush::Write);
  const int64_t measured = time(nullptr) - day;
  cache.put(key, toText({{1e10, 1e10, 1e11, 1e-6}, measured}));
  const Ceilings raised{1e10, 2e10, 1e11, 1e-6};
  keepRaised(raised, measured + day, *device, runtime::Flush::Write, cache);
  const auto kept = cachedCeilingsOf(cache.find(key).value_or(""), measured + day);
  REQUIRE(kept);
  CHECK(kept->ceilings == raised);
  CHECK(kept->measured == measured);
  CHECK(kept->raised == measured + day);
  CHECK(ceilingsOf(*device, runtime::Flush::Write, cache) == raised);
}

TEST_CASE("what was raised is told with the time of day") {
  const Ceilings before{1e10, 2e10, 1e11, 1e-6};
  CHECK(raisedText(before, before, today) == "");
  const std::string text = raisedText(before, {1.25e10, 3e10, 2e11, 5e-7}, today);
  CHECK(
      text.starts_with("copy 10.0 to 12.5 GB/s, read 20.0 to 30.0 GB/s, arithmetic 100.0 to 200.0 Gflop/s, "
                       "launch overhead 1.00 to 0.50 us at 2033-05-1"));
}

TEST_CASE("values that no device has are not believed") {
  for (const char* name : {"copy", "read", "flops", "launch_overhead", "measured"})
    for (const char* value : {"-1", "0", "1e30", "1e400", "null", "\"1\"", "true", "[1]", "{}"})
      CHECK_MESSAGE(!isKept(keptWith(name, value)), name, " ", value);
  CHECK(isKept(keptWith("copy", "1e15")));
  CHECK(!isKept(keptWith("copy", "1.1e15")));
  CHECK(isKept(keptWith("launch_overhead", "0.01")));
  CHECK(!isKept(keptWith("launch_overhead", "0.011")));
  for (const char* text : {"", "{}", "[]", "null", "1", "not JSON", "{\"copy\":2e10}"}) CHECK_MESSAGE(!isKept(text), text);
}

TEST_CASE("ceilings count for 30 days; those of a clock that went wrong do not") {
  CHECK(isKept(keptWith("measured", std::to_string(today - 29 * day))));
  CHECK(!isKept(keptWith("measured", std::to_string(today - 31 * day))));
  CHECK(!isKept(keptWith("measured", std::to_string(today + 2 * day))));
}

TEST_CASE("a rate of products is kept with when it was measured, and whether that was disturbed") {
  const auto again = cachedRateOf(toText(CachedRate{6.5e14, today - day, 2}), today);
  REQUIRE(again);
  CHECK(again->rate == 6.5e14);
  CHECK(again->measured == today - day);
  CHECK(again->disturbed == 2);
  CHECK(!cachedRateOf(toText(CachedRate{6.5e14, today - 31 * day}), today));
  for (const double odd : {0.0, -1.0, 1e19}) CHECK(!cachedRateOf(toText(CachedRate{odd, today}), today));
  for (const char* text : {"", "1", "{}", "{\"rate\":1e12}", "{\"rate\":\"1\",\"measured\":2000000000}"})
    CHECK_MESSAGE(!cachedRateOf(text, today), text);
}

TEST_CASE("a precision's rate of products is measured once; one that was disturbed once more, and the higher one stands") {
  const tests::TemporaryFolder folder;
  const runtime::Cache cache(tests::cacheIn(folder.path));
  const auto device = runtime::openDevice("cpu", 1);
  const auto put = [&](const std::string& precision, const CachedRate& rate) {
    cache.put(productRateKey(precision, *device), toText(rate));
  };
  put("float32", {5, time(nullptr)});
  CHECK(productRate("float32", *device, cache) == 5);
  put("float64", {1e17, time(nullptr), 1});
  CHECK(productRate("float64", *device, cache) == 1e17);
  put("float64", {5, time(nullptr), 1});
  const double measured = productRate("float64", *device, cache);
  CHECK(measured > 5);
  CHECK(cachedRateOf(cache.find(productRateKey("float64", *device)).value_or(""), time(nullptr)).value().rate == measured);
}

TEST_CASE("measuring goes on until two times in a row agree, five times at most, and the best of all stands") {
  CHECK(settled({1.0, 1.02}) == std::pair(1.0, 2));
  CHECK(settled({2.0, 1.0, 1.01}) == std::pair(1.0, 3));
  CHECK(settled({1.0, 1.5, 1.52}) == std::pair(1.0, 3));
  CHECK(settled({1.0, 2.0, 3.0, 0.5, 5.0}) == std::pair(0.5, 5));
}

TEST_CASE("odd values in the cache are a miss, and what is measured takes their place") {
  const tests::TemporaryFolder folder;
  const runtime::Cache cache(tests::cacheIn(folder.path));
  const auto device = runtime::openDevice("cpu", 1);
  const std::string key = ceilingsKey(*device, runtime::Flush::Write);
  const std::string text =
      R"({"copy":"fast","read":-1,"flops":1e30,"launch_overhead":1000,"measured":)" + std::to_string(time(nullptr)) + "}";
  cache.put(key, text);
  const Ceilings measured = ceilingsOf(*device, runtime::Flush::Write, cache);
  CHECK(measured.copy > 0);
  CHECK(measured.copy < 1e15);
  CHECK(measured.read > 0);
  CHECK(measured.flops < 1e15);
  CHECK(measured.launchOverhead < 0.01);
  const auto kept = cache.find(key);
  REQUIRE(kept);
  CHECK(*kept != text);
  CHECK(cachedCeilingsOf(*kept, time(nullptr)).value().ceilings == measured);
}

TEST_CASE("the size of a CPU's caches is known or 0") {
  const auto device = runtime::openDevice("cpu", 1);
  CHECK(device->lastCacheBytes() >= 0);
  CHECK(device->lastCacheBytes() < int64_t{1} << 40);
}

TEST_CASE("ceilings are of the software they were measured with") {
  const auto device = runtime::openDevice("cpu", 1);
  CHECK(device->software().starts_with("torch 2."));
  CHECK(device->software().find(", LLVM 19.") != std::string::npos);
  CHECK(ceilingsKey(*device, runtime::Flush::Write).ends_with(device->software()));
}
