#include "opbench/report/summary.h"

#include <doctest/doctest.h>

#include <cmath>

#include "opbench/run/derive.h"
#include "tests/opbench/rows.h"

using namespace opbench;
using doctest::Approx;

TEST_CASE("a row's figures follow from its timings") {
  const Row row = tests::exampleRows()[1];
  CHECK(*row.outcomes[0].speedup == 1);
  CHECK(*row.outcomes[1].speedup == Approx(30.0 / 24));
  CHECK(*row.outcomes[1].bytesPerSecond == Approx(100663296 / 24e-6));
  CHECK(row.rooflineSeconds * 1e6 == Approx(100663296 / 4e6));  // without the launch overhead
  CHECK(*row.outcomes[0].ofRoofline == Approx(row.rooflineSeconds / 30e-6));
}

TEST_CASE(
    "hot times of what a CPU's caches hold, half of it or more, are no share of what its memory can do; those bound by "
    "arithmetic "
    "are of its peak") {
  Row row = tests::exampleRows()[1];
  Run run = tests::exampleRun();
  run.device = "cpu";
  for (Outcome& outcome : row.outcomes) outcome.secondary.reset();
  const auto ofRoofline = [&] {
    for (Outcome& outcome : row.outcomes) outcome.ofRoofline.reset();
    derive(row, run);
    return row.outcomes[1].ofRoofline.has_value();
  };
  CHECK(ofRoofline());
  run.lastCacheBytes = row.bytes() / 2 - 1;
  CHECK(ofRoofline());
  run.lastCacheBytes = row.bytes() / 2;
  CHECK(!ofRoofline());
  CHECK(row.outcomes[1].bytesPerSecond);
  run.ceilings.flops = 1e12;
  row.flops = 0.9 * static_cast<double>(row.bytes()) / run.ceilings.copy * run.ceilings.flops;
  CHECK(!ofRoofline());
  row.flops *= 1.12;
  CHECK(ofRoofline());
}

TEST_CASE("a wrong result has no speedup") { CHECK_FALSE(tests::exampleRows()[3].outcomes[1].speedup); }

TEST_CASE("rows are summed up by operator, each sample counted once") {
  const Summary summary = summarize(tests::exampleRows(), tests::exampleRun());
  REQUIRE(summary.operators.size() == 3);
  const ContenderSummary& add = summary.operators[1].contenders[1];
  CHECK(summary.operators[1].name == "aten.add.Tensor");
  CHECK(add.counts.samples == 3);
  CHECK(add.counts.generated == 2);
  CHECK(add.counts.wrong == 1);
  CHECK(add.timed == 2);
  CHECK(*add.baselineSeconds == Approx((30 + 4.8) / 2 * 1e-6));
  CHECK(*add.medianSeconds == Approx((24 + 4.8) / 2 * 1e-6));
  CHECK(add.speedups->p20 == Approx(1.05));
  CHECK(add.speedups->p50 == Approx(1.125));
  CHECK(add.speedups->p80 == Approx(1.2));
  CHECK(*add.coldMs == Approx((41.27 + 44) / 2));
  CHECK(*add.cachedMs == Approx(1.5));
  const ContenderSummary& mul = summary.operators[2].contenders[1];
  CHECK(mul.counts.fallbacks == 1);
  CHECK(mul.counts.unsupported == 1);
  CHECK(mul.counts.skipped == 1);
  CHECK_FALSE(mul.coldMs);
  CHECK(mul.slower == 1);
}

TEST_CASE("totals: generated samples, computing samples, and all calls as often as they were made") {
  const ContenderSummary total = summarize(tests::exampleRows(), tests::exampleRun()).total.contenders[1];
  CHECK(total.counts.samples == 7);
  CHECK(total.generated.ratio == Approx(1.25));
  CHECK(total.generated.samples == 1);
  CHECK_FALSE(total.generated.interval);
  CHECK(total.computing.samples == 2);
  CHECK(total.computing.ratio == Approx(std::sqrt(1.25 * 0.8)));
  CHECK(total.checkedTooWeakly.samples == 1);
  CHECK(total.checkedTooWeakly.ratio == 1);
}

TEST_CASE("the time of all calls is that of calls among others: throughput where it was measured, hot on a CPU") {
  std::vector<Row> rows{tests::exampleRows()[1], tests::exampleRows()[4]};
  Run run = tests::exampleRun();
  const auto byCalls = [&] { return *summarize(rows, run).total.contenders[1].byCalls; };
  const double ofFirst = 120 * 24, ofSecond = 2 * 6.25;
  CHECK(byCalls() == Approx(0.98 * (1.25 * ofFirst + 0.8 * ofSecond) / (ofFirst + ofSecond)));
  run.device = "cpu";
  CHECK(byCalls() == Approx((1.25 * ofFirst + 0.8 * ofSecond) / (ofFirst + ofSecond)));
  run.device = "cuda:0";
  for (Row& row : rows) row.outcomes[1].secondary.reset();
  CHECK(byCalls() == Approx((1.25 * ofFirst + 0.8 * ofSecond) / (ofFirst + ofSecond)));
}

TEST_CASE("a sample is counted as slower only where it is known to be") {
  std::vector<Row> rows{tests::exampleRows()[1]};
  const auto slower = [&](double speedup, const std::optional<Interval>& interval) {
    rows[0].outcomes[1].timing->ratio = {speedup, interval};
    derive(rows[0], tests::exampleRun());
    return summarize(rows, tests::exampleRun()).total.contenders[1].slower;
  };
  CHECK(slower(0.9, Interval{0.89, 0.91}) == 1);
  CHECK(slower(0.9, std::nullopt) == 0);
  CHECK(slower(0.9, Interval{0.5, 1.5}) == 0);
}

TEST_CASE("checks that say nothing and runs that differ are counted") {
  const Summary summary = summarize(tests::exampleRows(), tests::exampleRun());
  CHECK(summary.operators[1].contenders[1].trivialSolutions == 1);
  CHECK(summary.total.contenders[1].trivialSolutions == 1);
  CHECK(summary.total.contenders[1].recovered == 1);
  CHECK(summary.operators[2].contenders[1].atenNondeterministic == 1);
  CHECK(summary.operators[2].contenders[1].nondeterministic == 0);
  CHECK(summary.total.contenders[0].nondeterministic == 0);
}

TEST_CASE("a run has failed if anything was wrong or an error") {
  std::vector<Row> rows = tests::exampleRows();
  const Run run = tests::exampleRun();
  CHECK(hasFailed(summarize(rows, run)));
  rows.erase(rows.begin() + 3);
  CHECK_FALSE(hasFailed(summarize(rows, run)));
  CHECK_FALSE(hasFailed(summarize({}, run)));
}

TEST_CASE("rows are summed up by what their loops do and by how much they move as well") {
  const Summary summary = summarize(tests::exampleRows(), tests::exampleRun());
  REQUIRE(summary.families.size() == 1);
  CHECK(summary.families[0].name == "pointwise");
  REQUIRE(summary.sizes.size() == 2);
  CHECK(summary.sizes[0].name == "up to 1 MB");
  CHECK(summary.sizes[0].contenders[1].counts.samples == 4);
  CHECK(summary.sizes[1].name == "32 MB and more");
}

TEST_CASE("samples bound by launch overhead, and those without a measurable difference, are counted") {
  const ContenderSummary total = summarize(tests::exampleRows(), tests::exampleRun()).total.contenders[1];
  CHECK(total.launchBound.samples == 0);  // the one of 4.8 us, where nothing takes 4.1, is checked too weakly
  CHECK(total.atLaunchOverhead == 1);
  CHECK(total.notLaunchBound.samples == 2);
  CHECK(total.same == 2);  // the view's and the sum's of one row: 1.00x
  CHECK(total.imprecise == 0);
}

TEST_CASE("a share of the roofline is at most 1: no ceiling is known exactly, and far beyond it the data came from caches") {
  Row row = tests::exampleRows()[1];
  const auto ofRoofline = [&](double share) {
    row.outcomes[1].ofRoofline.reset();
    row.outcomes[1].timing->median = row.rooflineSeconds / share;
    derive(row, tests::exampleRun());
    return row.outcomes[1].ofRoofline;
  };
  CHECK(*ofRoofline(0.9) == Approx(0.9));
  CHECK(*ofRoofline(1.05) == 1);
  CHECK_FALSE(ofRoofline(1.2));
}

TEST_CASE("what eager reaches is possible: a ceiling that it passes is raised to that, and no other") {
  const Run run = tests::exampleRun();
  Row row = tests::exampleRows()[1];
  CHECK(reachedByEager(row, run) == run.ceilings);
  row.outcomes[1].timing->median = 1e-6;
  CHECK(reachedByEager(row, run) == run.ceilings);
  row.outcomes[0].timing->median = 10e-6;
  Ceilings reached = run.ceilings;
  reached.read = static_cast<double>(row.traffic.read) / 10e-6;
  CHECK(reachedByEager(row, run) == reached);
  row.flops = 1e9;
  reached.flops = 1e9 / 10e-6;
  CHECK(reachedByEager(row, run) == reached);
  row.outcomes[0].kind = runtime::Kind::View;
  CHECK(reachedByEager(row, run) == run.ceilings);
}

TEST_CASE("in hot runs on a CPU eager raises the bandwidth by the bytes that its caches cannot hold") {
  Run run = tests::exampleRun();
  run.device = "cpu";
  run.lastCacheBytes = 32'000'000;
  Row row = tests::exampleRows()[1];
  row.outcomes[0].timing->median = 10e-6;
  CHECK(reachedByEager(row, run).copy == Approx(static_cast<double>(row.bytes() - 32'000'000) / 10e-6));
}

TEST_CASE("a sample is disturbed where other programs interrupted more than a tenth of its runs") {
  Row row = tests::exampleRows()[1];  // 300 runs of each of two contenders
  CHECK_FALSE(isDisturbed(row));
  row.measurement->interruptions = 60;
  CHECK_FALSE(isDisturbed(row));
  row.measurement->interruptions = 61;
  CHECK(isDisturbed(row));
  CHECK(summarize({row}, tests::exampleRun()).total.contenders[1].disturbed == 1);
}

TEST_CASE("the stages of all samples are added up") {
  Row row = tests::exampleRows()[1], other = row;
  row.stageSeconds = {{"racing", 1}, {"checking", 0.5}};
  other.stageSeconds = {{"racing", 2}};
  const Summary summary = summarize({row, other}, tests::exampleRun());
  CHECK(summary.stageSeconds == std::map<std::string, double>{{"racing", 3}, {"checking", 0.5}});
}

TEST_CASE("a time below what memory allows is a measuring error, not a speedup") {
  Row row = tests::exampleRows()[1];
  row.outcomes[1].timing->median = 10e-6;  // 67 MB are to be read, at 4.4 TB/s
  derive(row, tests::exampleRun());
  CHECK(row.outcomes[1].status == Status::Impossible);
  CHECK_FALSE(row.outcomes[1].timing);
  CHECK(row.outcomes[1].reason ==
        "measured 10.00 us cold, but its memory traffic or arithmetic takes at least 13.87 us on this device");
  CHECK(hasFailed(summarize({row}, tests::exampleRun())));
}

TEST_CASE("what is written beyond what the last cache holds has to reach memory, which takes half as long as reading at least") {
  Row row = tests::exampleRows()[1];
  Run run = tests::exampleRun();
  row.traffic = {0, 100'000'000};
  const auto status = [&](double seconds) {
    Row raced = row;
    raced.outcomes[1].timing->median = seconds;
    derive(raced, run);
    return raced.outcomes[1].status;
  };
  CHECK(status(1e-6) == Status::Ok);  // where no cache is known
  run.lastCacheBytes = 50'000'000;
  const double half = 25e6 / std::max(run.ceilings.read, run.ceilings.copy);
  CHECK(status(0.8 * half) == Status::Impossible);
  CHECK(status(half) == Status::Ok);
  run.lastCacheBytes = 100'000'000;
  CHECK(status(1e-6) == Status::Ok);
}

TEST_CASE("an impossible sample is not among those that were timed too imprecisely") {
  std::vector<Row> rows = tests::exampleRows();
  rows.erase(rows.begin() + 2, rows.end());
  for (Row& row : rows) row.measurement->stopped = Stop::MaxTime;
  rows[1].outcomes[1].timing->median = 10e-6;
  for (Row& row : rows) derive(row, tests::exampleRun());
  const ContenderSummary total = summarize(rows, tests::exampleRun()).total.contenders[1];
  CHECK(total.timed == 1);
  CHECK(total.imprecise == 1);
}

TEST_CASE("the baseline's time in an A/A run is that of the baseline's own rows") {
  Run run = tests::exampleRun();
  run.isAA = true;
  std::vector<Row> rows{tests::exampleRows()[1]};
  for (Outcome& outcome : rows[0].outcomes) outcome.timing->ratio = {1, Interval{0.99, 1.01}};
  derive(rows[0], run);
  CHECK(summarize(rows, run).total.contenders[1].baselineSeconds == Approx(30e-6));
}

TEST_CASE("an A/A run sums up the A/A noise") {
  Run run = tests::exampleRun();
  run.isAA = true;
  std::vector<Row> rows = tests::exampleRows();
  rows.resize(3);
  for (Row& row : rows) row.outcomes[0].timing->ratio = row.outcomes[1].timing->ratio = {1.02, Interval{1.01, 1.03}};
  const Summary summary = summarize(rows, run);
  REQUIRE(summary.aaDifferences.size() == 4);
  CHECK(summary.aaDifferences[0].what == "cold");
  CHECK(summary.aaDifferences[0].p95 == Approx(0.02));
  CHECK(summary.aaDifferences[1].what == "cold, below 10 us");
  CHECK(summary.aaDifferences[2].what == "cold, 10 to 100 us");
  CHECK(summary.aaDifferences[3].what == "throughput");
  CHECK(summary.aaNoise == AANoise());  // of one sample nothing is kept
  const std::vector<Row> many(30, rows[1]);
  const AANoise noise = summarize(many, run).aaNoise;
  CHECK_FALSE(noise.shares[0]);
  CHECK(*noise.shares[1] == Approx(0.02));
}

namespace {

/// A row of these times in seconds: of eager, opbench and Inductor, each with an interval of so much to both sides.
Row raced(const std::vector<double>& seconds, double share) {
  const std::vector<Contender> contenders{Contender::Eager, Contender::Opbench, Contender::Inductor};
  Row row = tests::exampleRows()[1];
  row.outcomes.clear();
  for (size_t i = 0; i < seconds.size(); ++i) {
    Outcome outcome;
    outcome.contender = contenders[i];
    outcome.kind = i == 0 ? runtime::Kind::Fallback : runtime::Kind::Generated;
    Timing& timing = outcome.timing.emplace();
    timing.median = seconds[i];
    timing.interval = Interval{seconds[i] * (1 - share), seconds[i] * (1 + share)};
    outcome.speedup = seconds[0] / seconds[i];
    row.outcomes.push_back(outcome);
  }
  return row;
}

}  // namespace

TEST_CASE("of three contenders each has its mean over each other one, and over the best of the others") {
  Run run = tests::exampleRun();
  run.contenders = {Contender::Eager, Contender::Opbench, Contender::Inductor};
  const Summary summary = summarize({raced({4, 2, 1}, 0.01), raced({4, 2, 8}, 0.01), raced({4, 2}, 0.01)}, run);
  const ContenderSummary& opbench = summary.total.contenders[1];
  REQUIRE(opbench.leads.size() == 1);
  CHECK(opbench.leads[0].over == Contender::Inductor);
  CHECK(opbench.leads[0].mean.samples == 2);
  CHECK(opbench.leads[0].mean.ratio == Approx(std::sqrt(0.5 * 4)));
  CHECK(opbench.leads[0].slower == 1);
  CHECK(opbench.overBest.samples == 2);
  CHECK(opbench.overBest.ratio == Approx(std::sqrt(0.5 * 2)));
  CHECK(slowerThan(summary, Contender::Opbench, Contender::Inductor) == 1);
  CHECK(slowerThan(summary, Contender::Inductor, Contender::Opbench) == 1);
  CHECK(slowerThan(summary, Contender::Opbench, Contender::Torchscript) == 0);
}

TEST_CASE("times whose intervals meet, or that differ by less than 5 %, are not slower") {
  Run run = tests::exampleRun();
  run.contenders = {Contender::Eager, Contender::Opbench, Contender::Inductor};
  CHECK(slowerThan(summarize({raced({4, 1.04, 1}, 0.001)}, run), Contender::Opbench, Contender::Inductor) == 0);
  CHECK(slowerThan(summarize({raced({4, 1.2, 1}, 0.1)}, run), Contender::Opbench, Contender::Inductor) == 0);
  CHECK(slowerThan(summarize({raced({4, 1.2, 1}, 0.05)}, run), Contender::Opbench, Contender::Inductor) == 1);
}
