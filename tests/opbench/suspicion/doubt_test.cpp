#include "opbench/sweep/doubt.h"

#include <doctest/doctest.h>

#include "tests/opbench/rows.h"

using namespace opbench;

namespace {

/// A row of these times in seconds: eager's, opbench's, and of a third contender.
Row raced(const std::vector<double>& seconds) {
  const std::vector<Contender> contenders{Contender::Eager, Contender::Opbench, Contender::Torchscript};
  Row row;
  for (size_t i = 0; i < seconds.size(); ++i) {
    Outcome outcome;
    outcome.contender = contenders[i];
    outcome.kind = runtime::Kind::Generated;
    outcome.timing.emplace().median = seconds[i];
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
  CHECK(doubt->lead == doctest::Approx(6));
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
  CHECK(doubt->lead == 0);
  CHECK(doubt->why == "opbench measured 1 us");
  run.isAA = true;
  CHECK_FALSE(doubtOf(row, run).has_value());
}

TEST_CASE("what a second process confirms stands; a lead that it does not show is suspect, unless its race was disturbed") {
  const Doubt doubt{Contender::Opbench, 6, "opbench was 6.00 times as fast as any other"};
  Row alike = raced({6e-3, 1.2e-3});
  confirm(alike, doubt);
  CHECK(alike.remeasured == doubt.why);
  CHECK(alike.outcomes[1].status == Status::Ok);
  Row slower = raced({6e-3, 5e-3}), disturbed = slower;
  confirm(slower, doubt);
  CHECK(slower.outcomes[0].status == Status::Ok);
  CHECK(slower.outcomes[1].status == Status::Suspect);
  CHECK(slower.outcomes[1].reason == "it was 6.00 times as fast as any other in one process, and 1.20 times in another");
  disturbed.measurement.emplace().isDisturbed = true;
  confirm(disturbed, doubt);
  CHECK(disturbed.outcomes[1].status == Status::Ok);
}
