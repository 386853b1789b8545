#include "opbench/check/randomness.h"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <random>

using namespace opbench;

namespace {

/// Uniform numbers, each made by `place` of its index and of a good random number.
runtime::Draws uniform(int64_t count, const std::function<double(int64_t, double)>& place) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> good(0, 1);
  std::vector<double> numbers;
  for (int64_t i = 0; i < count; ++i) numbers.push_back(good(random));
  runtime::Draws draws;
  for (int64_t i = 0; i < count; ++i) draws.places.push_back(place(i, numbers[static_cast<size_t>(i)]));
  for (double one : draws.places) draws.deviations.push_back(one - 0.5);
  draws.variances.assign(static_cast<size_t>(count), 1.0 / 12);
  draws.range = 0.5;
  draws.lags = {1, 2, 3, 4, 8, 16};
  return draws;
}

/// Coins of this chance, which the draws believe to be 0.25.
runtime::Draws coins(int64_t count, double chance) {
  runtime::Draws draws = uniform(count, [](int64_t, double number) { return number; });
  for (size_t i = 0; i < draws.places.size(); ++i) draws.deviations[i] = (draws.places[i] < chance ? 1 : 0) - 0.25;
  draws.variances.assign(draws.places.size(), 0.25 * 0.75);
  draws.places.clear();
  draws.range = 1;
  return draws;
}

double asDrawn(int64_t, double number) { return number; }

}  // namespace

TEST_CASE("good numbers pass, however many or few") {
  for (int64_t count : {0, 1, 2, 7, 64, 1000, 1 << 20}) {
    CHECK(improbable(uniform(count, asDrawn)) == "");
    CHECK(improbable(coins(count, 0.25)) == "");
  }
}

TEST_CASE("another mean, another distribution of the same mean, and constants do not") {
  CHECK(improbable(coins(1000, 0.4)) == "output 0 is not random: its mean is off by 0.111, chance makes it 0.097 at most");
  CHECK(improbable(coins(1000, 1)) != "");
  CHECK(improbable(uniform(1000, [](int64_t, double number) { return number * number; })) != "");
  const std::string why = improbable(uniform(1000, [](int64_t, double number) { return 0.25 + number / 2; }));
  CHECK(why.find("its distribution function is off by 0.25") != std::string::npos);
  CHECK(improbable(uniform(64, [](int64_t, double) { return 0.0; })) != "");
}

TEST_CASE("numbers that come again, at once or after some others, do not") {
  std::vector<double> kept(16);
  const auto again = [&](int64_t period, int64_t times) {
    return improbable(uniform(1000, [&, period, times](int64_t i, double number) {
      double& one = kept[static_cast<size_t>(i / times % period)];
      return i % times == 0 && i < period * times ? one = number : times > 1 && i % times == 0 ? one = number : one;
    }));
  };
  CHECK(again(1, 4).find("elements that are 1 apart") != std::string::npos);  // each number four times
  CHECK(again(4, 1) != "");                                                   // the same four over and over
  CHECK(again(16, 1) != "");
}

TEST_CASE("what is impossible fails alone, and few elements fail by nothing else") {
  runtime::Draws one = uniform(1, asDrawn);
  one.impossible = "has 2, which is not in its bounds";
  CHECK(improbable(one) == "output 0 is not random: has 2, which is not in its bounds");
  CHECK(improbable(coins(8, 1)) == "");
}

TEST_CASE("two runs must differ where chance does not make them the same") {
  runtime::Draws draws;
  draws.logOfEqual = std::log(0.5) * 20;
  CHECK_FALSE(mustDiffer(draws));
  draws.logOfEqual = std::log(0.5) * 40;
  CHECK(mustDiffer(draws));
}
