#include <doctest/doctest.h>

#include "opbench/check/tolerances.h"
#include "opbench/results/row.h"
#include "opbench/run/derive.h"

using namespace opbench;

TEST_CASE("a network in TF32 is judged by the tolerance of f16, one in f32 by a tenth of its own beside eager's error") {
  Criterion network = Tolerances::standard().criterionFor("rnn.lstm.training");
  const Limit f32 = Tolerances::standard().limit(network, ir::DType::F32, true);
  const Limit f16 = Tolerances::standard().limit(network, ir::DType::F16, true);
  network.isTf32 = true;
  const Limit tf32 = Tolerances::standard().limit(network, ir::DType::F32, true);
  CHECK(f32.share == doctest::Approx(1e-5));
  CHECK(tf32.share == doctest::Approx(10 * f16.share));
  CHECK(Tolerances::standard().limit(network, ir::DType::F64, true).share < f32.share);
  const Limit alone = Tolerances::standard().limit(network, ir::DType::F32, false);  // eager's own error is not known
  CHECK(alone.share > f32.share);
}

TEST_CASE("times of unequal precision are divided by each other only where that is asked for") {
  Row row;
  for (const char* arithmetic : {"tf32", "", "tf32"}) {
    Outcome outcome;
    outcome.status = Status::Ok;
    outcome.arithmetic = arithmetic;
    outcome.timing.emplace();
    outcome.timing->median = 1;
    outcome.timing->ratio.median = 1.5;
    row.outcomes.push_back(outcome);
  }
  Run run;
  derive(row, run);
  CHECK(row.outcomes[0].speedup == 1.5);
  CHECK_FALSE(row.outcomes[1].speedup);
  CHECK(row.outcomes[2].speedup == 1.5);
  run.anyPrecision = true;
  derive(row, run);
  CHECK(row.outcomes[1].speedup == 1.5);
}
