#include "opbench/race.h"

#include <doctest/doctest.h>

#include "tests/opbench/fake_trial.h"

using namespace opbench;
using tests::FakeTrial;

namespace {

std::function<double(int)> always(double seconds) {
  return [seconds](int) { return seconds; };
}

/// Few runs, so that a whole race can be read.
Pace shortPace() {
  Pace pace;
  pace.repeats = 3;
  pace.batchSeconds = 4;
  pace.minRuns = 2;
  pace.slowRuns = 1;
  pace.maxRuns = 4;
  return pace;
}

constexpr size_t warmUp = 3;  // runs of each contender before the race

}  // namespace

TEST_CASE("batches alternate, and the order turns round from one round to the next") {
  std::string journal;
  FakeTrial a("a", always(1), &journal), b("b", always(1), &journal);
  race({&a, &b}, shortPace());
  CHECK(journal.substr(2 * warmUp) ==
        "aaaabbbb"
        "bbbbaaaa"
        "aaaabbbb");
}

TEST_CASE("with turns, contenders alternate within a batch") {
  std::string journal;
  FakeTrial a("a", always(1), &journal), b("b", always(1), &journal);
  Pace pace = shortPace();
  pace.repeats = 1;
  pace.turnSeconds = 2;
  race({&a, &b}, pace);
  CHECK(journal.substr(2 * warmUp) == "aabbaabb");
}

TEST_CASE("a batch takes about the time it is given, within its limits") {
  const auto runsOfBatch = [](double seconds) {
    FakeTrial trial("a", always(seconds));
    Pace pace;
    pace.repeats = 1;
    return race({&trial}, pace).front().runs;
  };
  CHECK(runsOfBatch(1e-6) == 100);
  CHECK(runsOfBatch(4e-4) == 50);
  CHECK(runsOfBatch(4e-3) == 10);
  CHECK(runsOfBatch(8e-3) == 5);
  CHECK(runsOfBatch(0) == 100);
}

TEST_CASE("the median of the batches' medians counts, so that one disturbed batch does not") {
  FakeTrial trial("a", [](int run) { return run >= 7 && run < 11 ? 9.0 : 1.0; });  // runs 7 to 10 are the second batch
  const Timing timing = race({&trial}, shortPace()).front();
  CHECK(timing.batches == std::vector<double>{1, 9, 1});
  CHECK(timing.median == 1);
  CHECK(timing.runs == 12);
  CHECK(timing.p20 == 1);
  CHECK(timing.p80 == 9);
}

TEST_CASE("a slow contender has fewer runs and ends its turns earlier") {
  std::string journal;
  FakeTrial fast("f", always(1), &journal), slow("s", always(2), &journal);
  Pace pace = shortPace();
  pace.repeats = 1;
  pace.turnSeconds = 1;
  const auto timings = race({&fast, &slow}, pace);
  CHECK(journal.substr(2 * warmUp) == "fsfsff");
  CHECK(timings[0].median == 1);
  CHECK(timings[1].median == 2);
}

TEST_CASE("on CUDA a contender runs a whole batch at a time, on a CPU turns of a millisecond") {
  CHECK(paceFor(ir::Backend::Cuda, 3).turnSeconds == 0);
  CHECK(paceFor(ir::Backend::Cpu, 3).turnSeconds == 0.001);
  CHECK(paceFor(ir::Backend::Cpu, 7).repeats == 7);
}
