#include "opbench/measure/stopping.h"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "opbench/results/statistics.h"

using namespace opbench;
using doctest::Approx;

namespace {

constexpr double precision = 0.01;

/// Speedups as races find them: around 1, in units of `sigma` and in the order of time.
struct Speedups {
  std::string name;
  double median;                                                     ///< the true one, in units of sigma beyond 1
  std::function<double(std::mt19937_64& random, double last)> next;  ///< in the same unit
};

double normal(std::mt19937_64& random) { return std::normal_distribution<double>()(random); }
double even(std::mt19937_64& random) { return std::uniform_real_distribution<double>()(random); }

const std::vector<Speedups>& allSpeedups() {
  static const std::vector<Speedups> all{
      {"normal", 0, [](std::mt19937_64& random, double) { return normal(random); }},
      {"skewed", std::log(2), [](std::mt19937_64& random, double) { return -std::log(1 - even(random)); }},
      {"autocorrelated", 0,
       [](std::mt19937_64& random, double last) { return 0.3 * last + std::sqrt(1 - 0.3 * 0.3) * normal(random); }},
      // Six of ten at 0 and four at 3, each with a deviation of a half: P(below 0.4836) = 0.6 * 0.8333 = 0.5.
      {"two modes", 0.4836, [](std::mt19937_64& random, double) { return (even(random) < 0.4 ? 3 : 0) + 0.5 * normal(random); }},
  };
  return all;
}

/// A race of made-up times, means of so many runs, in rounds of so many, until the rule ends it or the time is over.
Estimate raced(const Speedups& speedups, double sigma, int runs, int round, uint64_t seed) {
  constexpr size_t mostValues = 1000;
  std::mt19937_64 random(seed);
  StoppingRule rule;
  std::vector<double> values;
  double last = normal(random);
  do {
    for (int i = 0; i < round; ++i) {
      last = speedups.next(random, last);
      values.push_back(1 + sigma * last);
    }
  } while (!rule.isPrecise({values}, runs, precision) && values.size() < mostValues);
  return estimate(values);
}

/// The share of races whose interval holds the true speedup.
double coverage(const Speedups& speedups, double sigma, int runs, int round) {
  constexpr int races = 1500;
  std::seed_seq seeds{static_cast<int>(speedups.name.size()), static_cast<int>(1000 * sigma), round};
  std::vector<uint32_t> seed(races);
  seeds.generate(seed.begin(), seed.end());
  const double truth = 1 + sigma * speedups.median;
  int hits = 0;
  for (int i = 0; i < races; ++i) {
    const Interval interval = *raced(speedups, sigma, runs, round, seed[static_cast<size_t>(i)]).interval;
    hits += interval.low <= truth && truth <= interval.high;
  }
  return static_cast<double>(hits) / races;
}

}  // namespace

TEST_CASE("95 % of intervals hold the true speedup, though timing ends when they are narrow") {
  for (const Speedups& speedups : allSpeedups()) {
    double sum = 0;
    int kinds = 0;
    for (const double sigma : {0.003, 0.01, 0.02, 0.04})
      for (const int round : {3, 25}) {
        const double one = coverage(speedups, sigma, 1, round);
        CHECK_MESSAGE((one > 0.915 && one < 0.98), speedups.name << " of " << sigma << " in rounds of " << round << ": " << one);
        sum += one;
        ++kinds;
      }
    CHECK_MESSAGE((sum / kinds >= 0.94 && sum / kinds <= 0.96), speedups.name << ": " << sum / kinds);
  }
}

TEST_CASE("95 % of intervals hold the true speedup of means of runs, where fewer values are enough") {
  for (const Speedups& speedups : allSpeedups())
    for (const double sigma : {0.003, 0.01, 0.02}) {
      const double one = coverage(speedups, sigma, 16, 1);
      CHECK_MESSAGE((one > 0.9 && one < 0.99), speedups.name << " of " << sigma << ": " << one);
    }
}

TEST_CASE("timing goes on until the interval of every contender is narrow") {
  const std::vector<double> narrow(100, 1.0);
  std::vector<double> wide;
  for (int i = 0; i < 100; ++i) wide.push_back(1 + 0.1 * (i * 37 % 100) / 100);
  CHECK(StoppingRule().isPrecise({narrow}, 1, precision));
  CHECK_FALSE(StoppingRule().isPrecise({narrow, wide}, 1, precision));
  CHECK(StoppingRule().isPrecise({narrow, wide}, 1, 0.1));
  CHECK_FALSE(StoppingRule().isPrecise({}, 1, precision));
}

TEST_CASE("intervals are looked at each time there are half as many values more") {
  StoppingRule rule;
  std::vector<double> values;
  for (int i = 0; i < 25; ++i) values.push_back(1 + 0.1 * i);
  CHECK_FALSE(rule.isPrecise({std::vector<double>(24, 1.0)}, 1, precision));
  CHECK_FALSE(rule.isPrecise({values}, 1, precision));
  CHECK_FALSE(rule.isPrecise({std::vector<double>(36, 1.0)}, 1, precision));
  CHECK(rule.isPrecise({std::vector<double>(37, 1.0)}, 1, precision));
}

TEST_CASE("twelve values are enough where they are means of several runs") {
  CHECK_FALSE(StoppingRule().isPrecise({std::vector<double>(11, 1.0)}, 16, precision));
  CHECK(StoppingRule().isPrecise({std::vector<double>(12, 1.0)}, 16, precision));
  CHECK_FALSE(StoppingRule().isPrecise({std::vector<double>(12, 1.0)}, 2, precision));
}
