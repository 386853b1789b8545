#include "opbench/sweep/doubt.h"

#include <doctest/doctest.h>

#include "opbench/results/sample_result.h"
#include "opbench/results/write.h"
#include "tests/opbench/rows.h"

using namespace opbench;

namespace {

/// A row of these times in seconds, whose intervals are 2 % wide: eager's, opbench's, and of a third contender.
Row raced(const std::vector<double>& seconds) {
  const std::vector<Contender> contenders{Contender::Eager, Contender::Opbench, Contender::Torchscript};
  Row row;
  for (size_t i = 0; i < seconds.size(); ++i) {
    Outcome outcome;
    outcome.contender = contenders[i];
    outcome.kind = runtime::Kind::Generated;
    Timing& timing = outcome.timing.emplace();
    timing.median = seconds[i];
    timing.interval = Interval{0.99 * seconds[i], 1.01 * seconds[i]};
    row.outcomes.push_back(outcome);
  }
  return row;
}

}  // namespace

TEST_CASE("a contender more than five times as fast as the best other one is doubted; eager never is") {
  const Run run = tests::exampleRun();
  const auto doubt = doubtOf(raced({6e-3, 1e-3}), run);
  REQUIRE(doubt.has_value());
  CHECK(doubt->contender == Contender::Opbench);
  CHECK(doubt->lead->low == doctest::Approx(6 * 0.99 / 1.01));
  CHECK(doubt->lead->high == doctest::Approx(6 * 1.01 / 0.99));
  CHECK(doubt->why == "opbench was 6.00 times as fast as any other");
  CHECK_FALSE(doubtOf(raced({4.9e-3, 1e-3}), run).has_value());
  CHECK_FALSE(doubtOf(raced({6e-3, 1e-3, 2e-3}), run).has_value());
  CHECK_FALSE(doubtOf(raced({1e-3, 6e-3}), run).has_value());
  CHECK_FALSE(doubtOf(raced({6e-3}), run).has_value());
}

TEST_CASE("an impossible time is doubted; views and races against oneself are not") {
  Run run = tests::exampleRun();
  Row row = raced({6e-3, 1e-3});
  row.outcomes[1].kind = runtime::Kind::View;
  CHECK_FALSE(doubtOf(row, run).has_value());
  row.outcomes[1] = raced({0, 0}).outcomes[1];
  row.outcomes[1].timing.reset();
  row.outcomes[1].status = Status::Impossible;
  row.outcomes[1].reason = "measured 1 us";
  const auto doubt = doubtOf(row, run);
  REQUIRE(doubt.has_value());
  CHECK_FALSE(doubt->lead.has_value());
  CHECK(doubt->why == "opbench measured 1 us");
  run.isAA = true;
  CHECK_FALSE(doubtOf(row, run).has_value());
}

TEST_CASE("what a second process confirms stands; a lead that it does not show is suspect") {
  const Doubt doubt{Contender::Opbench, "opbench was 6.00 times as fast as any other", Interval{5.9, 6.1}};
  Row alike = raced({6e-3, 1.2e-3});
  confirm(alike, doubt);
  CHECK(alike.remeasured == doubt.why);
  CHECK(alike.outcomes[1].status == Status::Ok);
  Row slower = raced({6e-3, 5e-3});
  confirm(slower, doubt);
  CHECK(slower.outcomes[0].status == Status::Ok);
  CHECK(slower.outcomes[1].status == Status::Suspect);
  CHECK(slower.outcomes[1].reason ==
        "it was 5.90 to 6.10 times as fast as any other in one process, and 1.18 to 1.22 times in another");
}

TEST_CASE("a suspect keeps no figure of the times that are not believed, so that its line is read again") {
  const Doubt doubt{Contender::Opbench, "opbench was 6.00 times as fast as any other", Interval{5.9, 6.1}};
  Row row = raced({6e-3, 5e-3});
  row.op = "aten.add.Tensor";
  Outcome& suspect = row.outcomes[1];
  suspect.speedup = 1.2;
  suspect.bytesPerSecond = suspect.ofRoofline = suspect.ofCopy = suspect.flopsPerSecond = suspect.ofPeak = 0.5;
  confirm(row, doubt);
  CHECK_FALSE(suspect.speedup.has_value());
  CHECK_FALSE(suspect.bytesPerSecond.has_value());
  CHECK_FALSE(suspect.ofPeak.has_value());
  const auto read = results::sampleResultOf(results::jsonLines(row, tests::exampleRun()), "worker", 1);
  CHECK(read.row.outcomes[1].status == Status::Suspect);
  CHECK(read.row.remeasured == doubt.why);
}

TEST_CASE("a lead that a race did not settle accuses nobody: a disturbed one, a wide one, one that was too short") {
  const Doubt doubt{Contender::Opbench, "opbench was 6.00 times as fast as any other", Interval{5.9, 6.1}};
  const auto isConfirmed = [](Row row, const Doubt& doubt) {
    confirm(row, doubt);
    return row.remeasured == doubt.why && row.outcomes[1].status == Status::Ok;
  };
  Row slower = raced({6e-3, 5e-3});
  CHECK_FALSE(isConfirmed(slower, doubt));
  CHECK(isConfirmed(slower, {Contender::Opbench, doubt.why, std::nullopt}));
  CHECK(isConfirmed(slower, {Contender::Opbench, doubt.why, Interval{1.7, 20}}));
  Row disturbed = slower;
  disturbed.measurement.emplace().isDisturbed = true;
  CHECK(isConfirmed(disturbed, doubt));
  Row brief = slower;
  brief.outcomes[1].timing->interval.reset();
  CHECK(isConfirmed(brief, doubt));
  Row first = raced({6e-3, 1e-3});
  first.measurement.emplace().isDisturbed = true;
  CHECK_FALSE(doubtOf(first, tests::exampleRun())->lead.has_value());
}
