#include "opbench/statistics.h"

#include <doctest/doctest.h>

using namespace opbench;

TEST_CASE("a quantile lies between its neighbours, as numpy's linear one does") {
  CHECK(quantile({1, 2, 3, 4}, 0) == 1);
  CHECK(quantile({1, 2, 3, 4}, 1) == 4);
  CHECK(quantile({1, 2, 3, 4}, 0.5) == 2.5);
  CHECK(quantile({1, 2, 3, 4}, 0.2) == doctest::Approx(1.6));
  CHECK(quantile({4, 1, 3, 2}, 0.2) == doctest::Approx(1.6));
}

TEST_CASE("one value is all of its quantiles") {
  const Quantiles q = quantiles({7});
  CHECK(q.p20 == 7);
  CHECK(q.p50 == 7);
  CHECK(q.p80 == 7);
}

TEST_CASE("the median of an odd number of values is one of them") { CHECK(median({9, 1, 5}) == 5); }

TEST_CASE("twice as fast and half as fast make 1") { CHECK(geomean({2, 0.5}) == doctest::Approx(1)); }
