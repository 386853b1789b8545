#include "opbench/measure/device/aa_noise.h"

#include <doctest/doctest.h>

#include "opbench/measure/device/aa_calls.h"
#include "runtime/devices/open.h"
#include "tests/cache_settings.h"
#include "tests/opbench/temporary_folder.h"

using namespace opbench;
using doctest::Approx;
using runtime::Flush;
using runtime::Measure;

namespace {

constexpr int64_t noiseToday = 2'000'000'000, noiseDay = 24 * 3600;

/// Processes that find these speedups of a call of 5 us, and of one of 50 us that never differs.
CachedAANoise found(const std::vector<std::vector<double>>& speedups) {
  CachedAANoise cached;
  for (const auto& ofProcess : speedups) cached.processes.push_back({noiseToday, {{5e-6, ofProcess}, {5e-5, {2, 2}}}});
  return cached;
}

}  // namespace

TEST_CASE("A/A noise is by duration, and of what differs within a process and from one to the next") {
  const AANoise noise = found({{1.01, 1.01}, {1.0, 1.0}, {0.99, 0.99}, {1.01, 1.01}, {0.99, 0.99}}).noise();
  // Two that lie 1 % from the middle either way, or not at all, differ by 1.96 sqrt(2) times that at most.
  CHECK(*noise.of(5e-6) == Approx(1.96 * 1.414 * 0.01 * 1.054).epsilon(0.002));
  CHECK(*noise.of(5e-5) == 0);
  CHECK_FALSE(noise.of(1e-3));
  CHECK_FALSE(found({{1.01, 0.99}}).noise().of(5e-6));  // too few to tell
}

TEST_CASE("a measurement that something disturbed does not make the noise") {
  const std::vector<double> usual{1.01, 1.0, 0.99};
  const double quiet = *found({usual, usual, usual, usual, usual}).noise().of(5e-6);
  CHECK(*found({usual, usual, {1.01, 3, 0.99}, usual, usual}).noise().of(5e-6) == Approx(quiet).epsilon(0.002));
}

TEST_CASE("what a run with --aa shows of a class counts where it is more") {
  CachedAANoise cached = found({{1.01, 1.01}, {1.0, 1.0}, {0.99, 0.99}});
  cached.byRun.shares = {0.2, 0.001, 0.03};
  const AANoise noise = cached.noise();
  CHECK(noise.of(5e-6) == 0.2);
  CHECK(noise.of(5e-5) == 0.001);
  CHECK(noise.of(1e-3) == 0.03);
}

TEST_CASE("A/A noise is kept with what each process measured, for 30 days") {
  CachedAANoise cached = found({{1.01, 1.02}, {1.0, 0.9}});
  cached.byRun.shares[2] = 0.05;
  const auto again = cachedAANoiseOf(toText(cached), noiseToday + noiseDay);
  REQUIRE(again);
  CHECK(toText(*again) == toText(cached));
  CHECK(cachedAANoiseOf(toText(cached), noiseToday + 31 * noiseDay).value().processes.empty());
  CHECK(cachedAANoiseOf(toText(cached), noiseToday + 31 * noiseDay).value().byRun.shares[2] == 0.05);
  for (const char* text : {"", "1", "{}", "[]", R"({"processes":1})"}) CHECK_MESSAGE(!cachedAANoiseOf(text, noiseToday), text);
  for (const char* calls : {"1", "[[0,1]]", "[[1e-5]]", R"([[1e-5,"1"]])", "[[1e-5,-1]]"})
    CHECK_MESSAGE(cachedAANoiseOf(R"({"processes":[{"measured":2000000000,"calls":)" + std::string(calls) + "}]}", noiseToday)
                      .value()
                      .processes.empty(),
                  calls);
}

TEST_CASE("noise is of a device, its software and a measure; a run of few samples leaves it as it is") {
  const auto key = [](Measure measure, Flush flush, const char* software = "torch 2") {
    return aaNoiseKey("Example GPU", 132, software, measure, flush);
  };
  CHECK(key(Measure::Cold, Flush::Write) != key(Measure::Cold, Flush::Read));
  CHECK(key(Measure::Cold, Flush::Write) != key(Measure::BackToBack, Flush::Write));
  CHECK(key(Measure::BackToBack, Flush::Read) == key(Measure::BackToBack, Flush::Write));
  CHECK(key(Measure::Cold, Flush::Write) != key(Measure::Cold, Flush::Write, "torch 3"));
  const tests::TemporaryFolder folder;
  const runtime::Cache cache(tests::cacheIn(folder.path));
  keepAANoise({{0.01, 0.02, std::nullopt}}, "key", cache);
  keepAANoise({{std::nullopt, 0.03, std::nullopt}}, "key", cache);
  const AANoise kept = cachedAANoiseOf(cache.find("key").value_or(""), noiseToday).value().noise();
  CHECK(kept == AANoise{{0.01, 0.03, std::nullopt}});
}

TEST_CASE("the first processes measure the noise, and the cache keeps it") {
  const tests::TemporaryFolder folder;
  const runtime::Cache cache(tests::cacheIn(folder.path));
  const auto device = runtime::openDevice("cpu", 1);
  CHECK(aaNoiseOf(*device, Flush::Write, Measure::BackToBack, runtime::Cache()) == AANoise());
  aaNoiseOf(*device, Flush::Write, Measure::BackToBack, cache);
  const std::string key =
      aaNoiseKey(device->name(), device->target().processors, device->software(), Measure::BackToBack, Flush::Write);
  const auto kept = cache.find(key);
  if (!kept) return;  // other programs interrupted it
  const CachedAANoise first = cachedAANoiseOf(*kept, std::time(nullptr)).value();
  CHECK(first.processes.size() == 1);
  for (const AAProcess& process : first.processes) {
    CHECK(process.calls.size() == 6);
    for (const AACall& call : process.calls) CHECK(call.speedups.size() == 3);
  }
}
