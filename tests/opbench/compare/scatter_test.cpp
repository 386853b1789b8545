#include <doctest/doctest.h>

#include <vector>

#include "opbench/compare/compare.h"
#include "opbench/compare/pool.h"
#include "opbench/compare/summary.h"
#include "tests/opbench/compare/synthetic_results.h"

using namespace opbench;
using compare::Comparison;
using compare::Verdict;
using tests::SyntheticRun;

namespace {

/// A CPU on which each process moves each kernel by about 0.8 %.
constexpr double quiet = 0.008;
/// The share of samples that other programs slow down on a busy CPU.
constexpr double busy = 0.2;

SyntheticRun ofCpu(int samples, uint64_t process, double slowdown = 1, double slowPhases = 0) {
  SyntheticRun run{.samples = samples, .process = process, .slowdown = slowdown};
  run.device = "cpu";
  run.processScatter = quiet;
  run.slowPhases = slowPhases;
  return run;
}

/// Runs of the program by one build, in processes from `first` on.
std::vector<results::Results> runsOf(int number, int samples, uint64_t first, double slowdown = 1, double slowPhases = 0) {
  std::vector<results::Results> runs;
  for (int i = 0; i < number; ++i)
    runs.push_back(tests::syntheticResults(ofCpu(samples, first + static_cast<uint64_t>(i), slowdown, slowPhases)));
  return runs;
}

int changesOf(const Comparison& comparison) {
  const compare::Tally all = compare::total(comparison);
  return all.of(Verdict::Fast) + all.of(Verdict::Slow);
}

/// Of the samples that a slowdown of the code shows in.
double shareOfSlow(const Comparison& comparison) {
  int all = 0, slow = 0;
  for (const compare::Compared& row : comparison.rows) {
    if (row.base->isLaunchBound) continue;
    ++all;
    slow += row.verdict == Verdict::Slow;
  }
  REQUIRE(all > 0);
  return static_cast<double>(slow) / all;
}

/// What is found in all pairs of five processes of one build.
int changesInTenPairs(int samples, double slowPhases) {
  int changes = 0;
  for (uint64_t a = 1; a <= 5; ++a)
    for (uint64_t b = a + 1; b <= 5; ++b)
      changes += changesOf(compare::compare(runsOf(1, samples, a, 1, slowPhases), runsOf(1, samples, b, 1, slowPhases)));
  return changes;
}

}  // namespace

TEST_CASE("one build with itself: nothing is faster or slower in ten pairs, on a quiet machine and a busy one") {
  for (const int samples : {6, 12, 20}) {
    CHECK(changesInTenPairs(samples, 0) == 0);
    CHECK(changesInTenPairs(samples, busy) == 0);
  }
}

TEST_CASE("nor is it over several runs of each") {
  for (const int samples : {6, 20})
    for (const double slowPhases : {0.0, busy})
      for (const uint64_t first : {1, 11, 21})
        CHECK(changesOf(
                  compare::compare(runsOf(5, samples, first, 1, slowPhases), runsOf(5, samples, first + 5, 1, slowPhases))) == 0);
}

TEST_CASE("5 % are found over five runs of each, however few samples there are") {
  for (const int samples : {6, 20, 200}) {
    double share = 0;
    for (const uint64_t first : {1, 11, 21, 31})
      share += shareOfSlow(compare::compare(runsOf(5, samples, first), runsOf(5, samples, first + 5, 1.05))) / 4;
    CHECK_MESSAGE(share >= 0.95, samples << " samples: " << share);
  }
}

TEST_CASE("5 % are found in pairs of single runs where processes differ little, whichever the baseline, and beside slow phases") {
  for (const int samples : {20, 60})
    for (const uint64_t baseline : {1, 2, 3, 4}) {
      const auto steady = [&](uint64_t process, double slowdown, double slowPhases) {
        SyntheticRun run = ofCpu(samples, process, slowdown, slowPhases);
        run.processScatter = 0.002;
        return tests::syntheticResults(run);
      };
      const double all = shareOfSlow(compare::compare(steady(baseline, 1, 0), steady(9, 1.05, 0)));
      const double most = shareOfSlow(compare::compare(steady(baseline, 1, 0.1), steady(9, 1.05, 0)));
      CHECK_MESSAGE(all >= 0.95, samples << " samples, " << baseline << ": " << all);
      CHECK_MESSAGE(most >= 0.65, samples << " samples, " << baseline << ", slow phases: " << most);
    }
}

TEST_CASE("samples whose times scatter are named, and no verdict is given on them") {
  std::vector<results::Results> candidate;
  SyntheticRun run = ofCpu(20, 2, 1.2);
  run.disturbance = [](int index) { return index == 7 ? 1.3 : 1.0; };
  candidate.push_back(tests::syntheticResults(run));
  const Comparison c = compare::compare(runsOf(1, 20, 1), std::move(candidate));
  for (const compare::Compared& row : c.rows) CHECK(row.isNoisy == (row.any().index == 7));
  CHECK(c.notes.back() == "1 sample scatters by more than 10%: run it again: aten.op0.default f16[7]");
  CHECK(c.rows[6].ambiguity == compare::Ambiguity::Noise);
}

TEST_CASE("a pool has the median of the runs, and what is wrong in one of them is wrong") {
  std::vector<results::Results> runs = runsOf(3, 2, 1);
  for (size_t i = 0; i < runs.size(); ++i) runs[i].records[1].median = 10 + static_cast<double>(i * i);
  runs[2].records[3].disposition = results::Disposition::Wrong;
  const compare::Pool pool = compare::poolOf(runs);
  CHECK(pool.runs == 3);
  CHECK(pool.results.file == "process1.jsonl and 2 more");
  REQUIRE(pool.results.records.size() == 4);
  CHECK(pool.results.records[1].median == 11);
  CHECK(pool.deviations[1].time.size() == 3);
  CHECK(pool.results.records[3].disposition == results::Disposition::Wrong);
  CHECK(pool.deviations[3].time.empty());
}

TEST_CASE("a sample that no run of a pool measured is in the pool, unmeasured") {
  std::vector<results::Results> runs = runsOf(3, 2, 1);
  for (results::Results& run : runs)
    for (results::Record& record : run.records) {
      record.disposition = results::Disposition::Unmeasured;
      record.status = "unsupported";
      record.median.reset();
    }
  const compare::Pool pool = compare::poolOf(runs);
  REQUIRE(pool.results.records.size() == 4);
  CHECK(pool.results.records[0].status == "unsupported");
  CHECK(pool.deviations[0].time.empty());
}

TEST_CASE("the medians of more runs lie closer together") {
  CHECK(compare::scatterOfPools(0.01, 1, 1) == doctest::Approx(0.01 * 1.414).epsilon(0.001));
  CHECK(compare::scatterOfPools(0.01, 5, 5) == doctest::Approx(0.01 * 1.253 * 0.632).epsilon(0.001));
  CHECK(compare::deviationOf({-0.01, 0.01}, {0.02}) == 0);
  CHECK(compare::deviationOf({-0.01, 0, 0.01}, {-0.01, 0, 0.01}) == doctest::Approx(0.01 * 1.225).epsilon(0.01));
}
