#include "opbench/measure/statistics.h"

#include <doctest/doctest.h>

#include <random>

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

TEST_CASE("the interval of a median is what resampling finds") {
  std::mt19937 random(1);
  std::lognormal_distribution<double> distribution(0, 0.2);
  std::vector<double> values(31);
  for (double& value : values) value = distribution(random);
  std::vector<double> medians, resample(values.size());
  std::uniform_int_distribution<size_t> any(0, values.size() - 1);
  for (int i = 0; i < 20000; ++i) {
    for (double& value : resample) value = values[any(random)];
    medians.push_back(median(resample));
  }
  const Estimate found = estimate(values);
  CHECK(found.median == median(values));
  CHECK(found.low == quantile(medians, 0.025));
  CHECK(found.high == quantile(medians, 0.975));
}

TEST_CASE("the interval of few or equal values") {
  CHECK(estimate({3}) == Estimate{3, 3, 3});
  CHECK(estimate({2, 2, 2, 2}) == Estimate{2, 2, 2});
  CHECK(estimate({1, 2}) == Estimate{1.5, 1, 2});
  CHECK(estimate(std::vector<double>(5000, 7.0)).width() == 0);
}
