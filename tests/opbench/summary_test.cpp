#include "opbench/summary.h"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/opbench/rows.h"

using namespace opbench;
using doctest::Approx;

TEST_CASE("a row's figures follow from its timings") {
  const Row row = tests::exampleRows()[1];
  CHECK(*row.outcomes[0].speedup == 1);
  CHECK(*row.outcomes[1].speedup == Approx(30.0 / 24));
  CHECK(*row.outcomes[1].bytesPerSecond == Approx(100663296 / 24e-6));
  CHECK(*row.outcomes[1].ofCopy == Approx(100663296 / 24e-6 / 4e12));
}

TEST_CASE("a wrong result has no speedup") { CHECK_FALSE(tests::exampleRows()[3].outcomes[1].speedup); }

TEST_CASE("rows are summed up by operator, each sample counted once") {
  const Summary summary = summarize(tests::exampleRows(), tests::exampleRun().contenders);
  REQUIRE(summary.operators.size() == 3);
  const Standing& add = summary.operators[1].standings[1];
  CHECK(summary.operators[1].op == "aten.add.Tensor");
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
  const Standing& mul = summary.operators[2].standings[1];
  CHECK(mul.counts.externs == 1);
  CHECK(mul.counts.unsupported == 1);
  CHECK(mul.counts.skipped == 1);
  CHECK_FALSE(mul.coldMs);
  CHECK(mul.slower == 1);
}

TEST_CASE("totals: generated samples, computing samples, and all calls as often as they were made") {
  const Standing total = summarize(tests::exampleRows(), tests::exampleRun().contenders).total.standings[1];
  CHECK(total.counts.samples == 7);
  CHECK(total.generated.ratio == Approx(std::sqrt(1.25 * 1.0)));
  CHECK(total.generated.samples == 2);
  CHECK(total.computing.samples == 3);
  CHECK(total.computing.ratio == Approx(std::cbrt(1.25 * 1.0 * 0.8)));
  const double eager = 36 * 1.3 + 120 * 30 + 24 * 4.8 + 2 * 5, opbench = 36 * 1.3 + 120 * 24 + 24 * 4.8 + 2 * 6.25;
  CHECK(*total.byCalls == Approx(eager / opbench));
}

TEST_CASE("a run has failed if anything was wrong or an error") {
  std::vector<Row> rows = tests::exampleRows();
  const auto contenders = tests::exampleRun().contenders;
  CHECK(hasFailed(summarize(rows, contenders)));
  rows.erase(rows.begin() + 3);
  CHECK_FALSE(hasFailed(summarize(rows, contenders)));
  CHECK_FALSE(hasFailed(summarize({}, contenders)));
}
