#include "opbench/measure/race.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include "opbench/measure/stopping.h"
#include "tests/opbench/fake_trial.h"

using namespace opbench;
using doctest::Approx;
using runtime::Measure;
using tests::FakeGpu;
using tests::FakeTrial;

namespace {

std::function<double(int)> always(double seconds) {
  return [seconds](int) { return seconds; };
}

constexpr size_t warmUp = 3;  // runs of each contender before the race

Measurement raced(const std::vector<runtime::Trial*>& trials, const Pace& pace, uint64_t seed = 1) {
  FakeGpu gpu;
  return race(trials, Measure::Cold, gpu, pace, seed);
}

}  // namespace

TEST_CASE("contenders take turns run by run, in an order that is shuffled anew each time and follows from the seed") {
  const auto journalOf = [](uint64_t seed) {
    std::string journal;
    FakeTrial a("a", always(1e-5), &journal), b("b", always(1e-5), &journal);
    raced({&a, &b}, {}, seed);
    return journal;
  };
  const std::string journal = journalOf(1);
  for (size_t i = 0; i + 1 < journal.size(); i += 2) CHECK(journal[i] != journal[i + 1]);
  CHECK(journal.find("abba") != std::string::npos);
  CHECK(journal.find("baab") != std::string::npos);
  CHECK(journal.substr(0, 20) == journalOf(1).substr(0, 20));
  CHECK(journal.substr(0, 40) != journalOf(2).substr(0, 40));
}

TEST_CASE("the speedup is the median over pairs of runs: what drifts meets both") {
  const auto drifting = [](double scale) { return [scale](int run) { return scale * (1 + 0.01 * run); }; };
  FakeTrial slow("s", drifting(3e-5)), fast("f", drifting(1e-5));
  const Measurement measurement = raced({&slow, &fast}, {});
  CHECK(measurement.timings[1].ratio.median == Approx(3));
  CHECK(measurement.timings[1].ratio.width() < 1e-9);
  CHECK(measurement.timings[0].ratio.median == 1);
  CHECK(measurement.stopped == Stop::Precision);
}

TEST_CASE("timing ends when the interval is narrow enough, or the time is over, and says which") {
  const auto noisy = [](double noise) {
    return [noise](int run) { return 1e-5 * (1 + noise * ((run * 7919) % 101 / 50.0 - 1)); };
  };
  Pace pace;
  pace.maxSeconds = 0.05;
  FakeTrial a("a", noisy(0.02)), b("b", always(1e-5));
  const Measurement precise = raced({&a, &b}, pace);
  CHECK(precise.stopped == Stop::Precision);
  CHECK(precise.timings[1].ratio.width() < pace.precision);
  CHECK(precise.timings[1].runs >= static_cast<int>(StoppingRule::leastRuns));
  pace.precision = 1e-9;
  FakeTrial c("c", noisy(0.5)), d("d", always(1e-5));
  const Measurement late = raced({&c, &d}, pace);
  CHECK(late.stopped == Stop::MaxTime);
  CHECK(late.timings[1].ratio.width() > 0);
}

TEST_CASE("timing ends when the interval is narrower than another process would find other times") {
  const auto noisy = [](int run) { return 2e-5 * (1 + 0.05 * ((run * 7919) % 101 / 50.0 - 1)); };
  Pace pace;
  const auto runs = [&] {
    FakeTrial a("a", noisy), b("b", always(1e-5));
    const Measurement measurement = raced({&a, &b}, pace);
    CHECK(measurement.stopped == Stop::Precision);
    return measurement.timings[1].runs;
  };
  const int precise = runs();
  pace.noise.shares[durationClassOf(2e-5)] = 0.05;
  CHECK(runs() < precise);
  pace.noise.shares[durationClassOf(2e-5)] = 0.001;
  CHECK(runs() == precise);
}

TEST_CASE("times that are read in ticks of a timer are told finer than these") {
  constexpr double tick = 32e-9;
  FakeGpu gpu;
  gpu.secondsOfTick = tick;
  const auto stamped = [&](double seconds) {
    return [&, seconds](int run) {
      const double start = tick * std::fmod(0.6180339887 * run, 1);
      return tick * (std::floor((start + seconds) / tick) - std::floor(start / tick));
    };
  };
  const auto timings = [&](int captures) {
    FakeTrial slow("s", stamped(100.25 * tick)), fast("f", stamped(100 * tick));
    slow.numberOfCaptures = fast.numberOfCaptures = captures;
    Pace pace;
    pace.repeats = 10;
    return race({&slow, &fast}, Measure::Cold, gpu, pace, 1).timings;
  };
  for (const int captures : {1, 16}) {
    const std::vector<Timing> found = timings(captures);
    CHECK(found[0].median / tick == Approx(100.25).epsilon(0.001));
    CHECK(found[1].median / tick == Approx(100).epsilon(0.001));
    CHECK(found[1].ratio.median == Approx(1.0025).epsilon(0.001));
    if (captures == 1) CHECK(found[0].interval->low < found[0].interval->high);
  }
  // Where means over captures do it, what was read is left as it was.
  CHECK(std::fmod(timings(16)[0].p80 / tick + 0.5, 1) == Approx(0.5));
}

TEST_CASE("captures that are slower for good count as often as the others") {
  const auto everyThird = [](double seconds) { return [seconds](int run) { return seconds + (run % 3 == 0 ? 3e-7 : 0); }; };
  FakeTrial slow("s", everyThird(5e-6)), fast("f", everyThird(4e-6));
  slow.numberOfCaptures = fast.numberOfCaptures = 3;
  const Measurement measurement = raced({&slow, &fast}, {});
  CHECK(measurement.stopped == Stop::Precision);
  CHECK(measurement.timings[0].median == Approx(5.1e-6));
  CHECK(measurement.timings[1].median == Approx(4.1e-6));
  CHECK(measurement.timings[1].ratio.median == Approx(5.1 / 4.1));
  for (const double round : measurement.timings[1].rounds) CHECK(round == Approx(4.1e-6));
}

TEST_CASE("captures of long runs need not all have run before the time is over") {
  const auto sleeping = [](int) {
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
    return 3e-3;
  };
  FakeTrial trial("a", sleeping);
  trial.numberOfCaptures = 16;
  Pace pace;
  pace.maxSeconds = 0.02;
  const Measurement measurement = raced({&trial}, pace);
  CHECK(measurement.stopped == Stop::MaxTime);
  CHECK(measurement.timings[0].runs < 16);
}

TEST_CASE("with repeats, rounds have operatorbench's length") {
  const auto runsOfRound = [](double seconds) {
    FakeTrial trial("a", always(seconds));
    Pace pace;
    pace.repeats = 2;
    const Measurement measurement = raced({&trial}, pace);
    CHECK(measurement.stopped == Stop::Repeats);
    CHECK(measurement.timings[0].rounds.size() == 2);
    CHECK(static_cast<size_t>(measurement.timings[0].runs) + warmUp == static_cast<size_t>(trial.runs()));
    return measurement.timings[0].runs / 2;
  };
  CHECK(runsOfRound(1e-6) == 100);
  CHECK(runsOfRound(4e-4) == 50);
  CHECK(runsOfRound(4e-3) == 10);
  CHECK(runsOfRound(8e-3) == 5);
  CHECK(runsOfRound(0) == 100);
}

namespace {

/// A time that is the difference of two, one of which something disturbs in each so many runs of a hundred.
std::function<double(int)> disturbed(int ofHundred) {
  return [ofHundred](int run) { return run * 37 % 100 < ofHundred ? -2e-4 : 1e-5; };
}

}  // namespace

TEST_CASE("what is told from the difference of two times may lie below none at all in some runs: these make no pairs") {
  for (const bool isFirst : {false, true}) {
    FakeTrial a("a", isFirst ? disturbed(25) : always(1e-5)), b("b", isFirst ? always(1e-5) : disturbed(25));
    Pace pace;
    pace.repeats = 2;
    const std::vector<Timing> timings = raced({&a, &b}, pace).timings;
    const Timing& timing = timings[isFirst ? 0 : 1];
    CHECK(timing.isMeasured());
    CHECK(timing.p20 == 0);
    CHECK(timing.median == 1e-5);
    CHECK(timings[1].ratio == Estimate{1, Interval{1, 1}});
    for (const double round : timing.rounds) CHECK(round >= 0);
  }
}

TEST_CASE("runs that are disturbed count neither for the first contender nor for the other") {
  const auto inOtherRuns = [](int run) { return run * 37 % 100 >= 65 ? -2e-4 : 2e-5; };
  FakeTrial a("a", inOtherRuns), b("b", disturbed(35));
  Pace pace;
  pace.repeats = 2;
  CHECK(raced({&a, &b}, pace).timings[1].ratio == Estimate{2, Interval{2, 2}});
}

TEST_CASE("where about half of the runs are disturbed, or more, the time is not measured, and timing goes on until the end") {
  for (const int ofHundred : {50, 80, 100}) {
    FakeTrial a("a", always(1e-5)), b("b", disturbed(ofHundred));
    Pace pace;
    pace.maxSeconds = 0.02;
    const Measurement measurement = raced({&a, &b}, pace);
    CHECK(measurement.timings[0].isMeasured());
    CHECK_FALSE(measurement.timings[1].isMeasured());
    if (ofHundred == 100) CHECK(measurement.stopped == Stop::MaxTime);
  }
}

TEST_CASE("a contender that ran once or a few times has no interval") {
  const auto sleeping = [](int) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return 1e-2;
  };
  FakeTrial a("a", sleeping), b("b", sleeping);
  Pace pace;
  pace.maxSeconds = 0.001;
  const Measurement measurement = raced({&a, &b}, pace);
  CHECK(measurement.timings[1].runs < leastForInterval);
  CHECK_FALSE(measurement.timings[1].interval);
  CHECK_FALSE(measurement.timings[1].ratio.interval);
  CHECK(measurement.timings[1].isMeasured());
}

TEST_CASE("turns do not count before two in a row agree") {
  FakeTrial trial("a", [](int run) { return run < 6 ? 1e-2 / (1 << run) : 1e-4; });
  Pace pace;
  pace.repeats = 1;
  const Measurement measurement = raced({&trial}, pace);
  CHECK(measurement.timings[0].runs == 100);
  CHECK(measurement.timings[0].p80 == 1e-4);
  CHECK(trial.runs() == 100 + 8);
}

TEST_CASE("rounds at a throttled clock are dropped and counted") {
  FakeGpu gpu;
  gpu.clockOfRound = [](int round) { return round == 1 ? 1e9 : 1.98e9; };
  FakeTrial trial("a", always(1e-4));
  Pace pace;
  pace.repeats = 3;
  const Measurement measurement = race({&trial}, Measure::Cold, gpu, pace, 1);
  CHECK(measurement.dropped == 100);
  CHECK(measurement.timings[0].runs == 200);
  CHECK(*measurement.clock == Approx(1.98e9));
  CHECK_FALSE(measurement.isThrottled);
}

TEST_CASE("where every round is throttled they count, and it is said") {
  FakeGpu gpu;
  gpu.clockOfRound = [](int) { return 1e9; };
  FakeTrial trial("a", always(1e-4));
  Pace pace;
  pace.repeats = 1;
  const Measurement measurement = race({&trial}, Measure::Cold, gpu, pace, 1);
  CHECK(measurement.isThrottled);
  CHECK(measurement.timings[0].runs == 100);
  CHECK(measurement.timings[0].median == 1e-4);
}

namespace {

/// A trial that other programs interrupt in the runs that `isInterrupted` names; these take 10 ms, others 10 us times `scale`.
FakeTrial interruptedIn(std::function<bool(int run)> isInterrupted, int64_t& interruptions, double scale = 1) {
  return FakeTrial("a", [isInterrupted = std::move(isInterrupted), &interruptions, scale](int run) {
    if (!isInterrupted(run)) return 1e-5 * scale;
    ++interruptions;
    return 1e-2;
  });
}

Measurement racedInterrupted(const std::vector<runtime::Trial*>& trials, const int64_t& interruptions, Pace pace) {
  FakeGpu gpu;
  gpu.interruptionsSoFar = [&] { return interruptions; };
  return race(trials, Measure::Cold, gpu, pace, 1);
}

}  // namespace

TEST_CASE("a run that another program interrupts is repeated, and does not count") {
  int64_t interruptions = 0;
  FakeTrial slow = interruptedIn([](int run) { return run % 2 == 0; }, interruptions, 2),
            fast = interruptedIn([](int run) { return run % 3 == 0; }, interruptions);
  Pace pace;
  pace.repeats = 1;
  const Measurement measurement = racedInterrupted({&slow, &fast}, interruptions, pace);
  CHECK(measurement.timings[0].median == 2e-5);
  CHECK(measurement.timings[0].interval->high == 2e-5);
  CHECK(measurement.timings[1].ratio == Estimate{2, Interval{2, 2}});
  CHECK(measurement.interruptions > 100);
  CHECK_FALSE(measurement.isDisturbed);
}

TEST_CASE("turns with a run that is interrupted however often it is repeated do not count where there are others") {
  int64_t interruptions = 0;
  FakeTrial slow = interruptedIn([](int run) { return run % 20 >= 10; }, interruptions, 2);
  FakeTrial fast = interruptedIn([](int) { return false; }, interruptions);
  Pace pace;
  pace.repeats = 1;
  const Measurement measurement = racedInterrupted({&slow, &fast}, interruptions, pace);
  CHECK(measurement.timings[0].runs < 100);
  CHECK(measurement.timings[0].runs == measurement.timings[1].runs);
  CHECK(measurement.timings[1].ratio == Estimate{2, Interval{2, 2}});
  CHECK_FALSE(measurement.isDisturbed);
}

TEST_CASE("where hardly any turn is left without interruptions all count, and it is said") {
  int64_t interruptions = 0;
  FakeTrial trial = interruptedIn([](int) { return true; }, interruptions);
  Pace pace;
  pace.repeats = 1;
  const Measurement measurement = racedInterrupted({&trial}, interruptions, pace);
  CHECK(measurement.isDisturbed);
  CHECK(measurement.timings[0].runs > 0);
  CHECK(measurement.timings[0].median == 1e-2);
  CHECK(measurement.timings[0].rounds == std::vector<double>{1e-2});
}
