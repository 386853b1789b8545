// Runs that are checked among those that are timed.
#include "opbench/measure/audit.h"

#include <doctest/doctest.h>

#include <chrono>
#include <set>
#include <thread>

#include "opbench/measure/race.h"
#include "tests/opbench/fake_trial.h"

using namespace opbench;
using tests::FakeGpu;
using tests::FakeTrial;

namespace {

/// The turns that audits come before, of so many.
std::vector<int64_t> placesOf(int64_t first, int64_t turns) {
  AuditPlaces places(first);
  std::vector<int64_t> found;
  for (int64_t turn = 0; turn < turns;) {
    const int64_t before = places.before(turns - turn);
    places.advance(before);
    turn += before;
    if (turn == turns) break;
    found.push_back(turn);
    places.next();
  }
  return found;
}

double tenMicroseconds(int) { return 1e-5; }

}  // namespace

TEST_CASE("audits: one among the first turns, and one each time these have doubled, at places that differ from run to run") {
  std::set<std::vector<int64_t>> all;
  for (int run = 0; run < 200; ++run) {
    const std::vector<int64_t> places = placesOf(20, 160);
    REQUIRE(places.size() == 4);
    CHECK(places[0] < 20);
    CHECK((places[1] >= 20 && places[1] < 40));
    CHECK((places[2] >= 40 && places[2] < 80));
    CHECK((places[3] >= 80 && places[3] < 160));
    all.insert(places);
  }
  CHECK(all.size() > 100);
}

TEST_CASE("a race is audited whatever ends it, and the runs that an audit disturbs do not count") {
  FakeGpu gpu;
  std::set<int> places;
  for (int run = 0; run < 50; ++run) {
    FakeTrial a("a", tenMicroseconds), b("b", tenMicroseconds);
    a.numberOfCaptures = b.numberOfCaptures = 4;
    std::vector<int> audited;
    const Measurement measurement = race({&a, &b}, runtime::Measure::Cold, gpu, {}, 1, RunChecks{[&](size_t contender) {
                                           audited.push_back(static_cast<int>(contender));
                                           if (audited.size() == 1) places.insert(a.runs());
                                         }});
    REQUIRE(audited.size() >= 2);
    CHECK(std::vector<int>(audited.begin(), audited.begin() + 2) == std::vector<int>{0, 1});
    constexpr int warmUp = 3;
    const int audits = static_cast<int>(audited.size()) / 2;
    CHECK(a.runs() == warmUp + measurement.timings[0].runs + audits * a.numberOfCaptures);
    CHECK(measurement.timings[0].runs % a.numberOfCaptures == 0);
  }
  CHECK(places.size() > 5);
}

TEST_CASE("a race whose time is over before its first place is audited in the end") {
  FakeGpu gpu;
  Pace pace;
  pace.maxSeconds = 0;
  const auto slow = [](int) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));  // so that a round is one turn
    return 5e-3;
  };
  for (int seed = 0; seed < 20; ++seed) {
    FakeTrial trial("a", slow);
    int audits = 0;
    race({&trial}, runtime::Measure::Cold, gpu, pace, static_cast<uint64_t>(seed), RunChecks{[&](size_t) { ++audits; }});
    CHECK(audits == 1);
  }
}

TEST_CASE("a race of so many runs is audited once, and has as many that count") {
  FakeGpu gpu;
  std::set<int> places;
  for (int run = 0; run < 50; ++run) {
    FakeTrial a("a", tenMicroseconds);
    int audits = 0;
    const Measurement measurement = raceExactly({&a}, runtime::Measure::Cold, gpu, 2, 10, 1, RunChecks{[&](size_t) {
                                                  ++audits;
                                                  places.insert(a.runs());
                                                }});
    CHECK(audits == 1);
    CHECK(measurement.timings[0].runs == 10);
  }
  CHECK(places.size() > 3);
}
