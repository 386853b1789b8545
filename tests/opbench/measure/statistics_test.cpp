#include "opbench/results/statistics.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <random>

using namespace opbench;

TEST_CASE("a quantile lies between its neighbours, as numpy's linear one does") {
  CHECK(quantile({1, 2, 3, 4}, 0) == 1);
  CHECK(quantile({1, 2, 3, 4}, 1) == 4);
  CHECK(quantile({1, 2, 3, 4}, 0.5) == 2.5);
  CHECK(quantile({1, 2, 3, 4}, 0.2) == doctest::Approx(1.6));
  CHECK(quantile({4, 1, 3, 2}, 0.2) == doctest::Approx(1.6));
}

TEST_CASE("a histogram counts values in bins up to the 98th percentile; the last one has what is larger as well") {
  std::vector<double> values(100);
  std::iota(values.begin(), values.end(), 0);
  values.back() = 1e6;
  const Histogram histogram = histogramOf(values, 10);
  CHECK(histogram.low == 0);
  CHECK(histogram.high == doctest::Approx(97.02));
  CHECK(histogram.counts == std::vector<int64_t>{10, 10, 10, 9, 10, 10, 9, 10, 10, 12});
  CHECK(std::accumulate(histogram.counts.begin(), histogram.counts.end(), int64_t{0}) == 100);
}

TEST_CASE("a histogram of equal values has one bin") {
  CHECK(histogramOf({3, 3, 3}) == Histogram{3, 3, {3}});
  CHECK(histogramOf({7}) == Histogram{7, 7, {1}});
}

TEST_CASE("one value is all of its quantiles") {
  const Quantiles q = quantiles({7});
  CHECK(q.p20 == 7);
  CHECK(q.p50 == 7);
  CHECK(q.p80 == 7);
}

TEST_CASE("the median of an odd number of values is one of them") { CHECK(median({9, 1, 5}) == 5); }

TEST_CASE("twice as fast and half as fast make 1") { CHECK(geomean({2, 0.5}) == doctest::Approx(1)); }

TEST_CASE("an interval of a median lies between values in order, as far apart as the binomial distribution tells") {
  std::vector<double> values(30);
  std::iota(values.begin(), values.end(), 1);
  std::shuffle(values.begin(), values.end(), std::mt19937(1));
  const Estimate found = estimate(values);
  CHECK(found.median == 15.5);
  // P(10 <= X <= 20) = 0.957 and P(9 <= X <= 21) = 0.984 of 30 throws of a coin.
  CHECK(found.interval->low > 9);
  CHECK(found.interval->low < 10.1);
  CHECK(found.interval->low + found.interval->high == doctest::Approx(31));
}

TEST_CASE("where neighbours in time are alike the interval is wider: there are fewer independent values") {
  std::vector<double> values(64);
  std::iota(values.begin(), values.end(), 1);
  std::vector<double> shuffled = values, inFours;
  std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937(1));
  for (size_t i = 0; i < values.size(); ++i) inFours.push_back(values[i / 4 * 4 * 5 % 64 + i % 4]);
  CHECK(*estimate(inFours).width() > 1.3 * *estimate(shuffled).width());
  CHECK(estimate(values).interval == Interval{1, 64});
}

TEST_CASE("few values have no interval, and equal ones one of no width") {
  CHECK(estimate({3}) == Estimate{3, {}});
  CHECK(estimate({1, 2}) == Estimate{1.5, {}});
  CHECK(estimate({2, 2, 2, 2, 2}) == Estimate{2, {}});
  CHECK(estimate({2, 2, 2, 2, 2, 2}) == Estimate{2, Interval{2, 2}});
  CHECK_FALSE(estimate({1, 2, 3, 4, 5}).width());
  CHECK(estimate(std::vector<double>(5000, 7.0)).width() == 0);
}
