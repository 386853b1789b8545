#include "inputs/random.h"

#include <doctest/doctest.h>

#include <set>

TEST_CASE("the n-th value of a stream is fixed, and streams differ") {
  CHECK(inputs::randomBits(1, 2) == inputs::randomBits(1, 2));
  std::set<uint64_t> seen;
  for (uint64_t key = 0; key < 100; ++key)
    for (uint64_t index = 0; index < 100; ++index) seen.insert(inputs::randomBits(inputs::randomBits(0, key), index));
  CHECK(seen.size() == 10000);
}

TEST_CASE("uniform numbers stay strictly between 0 and 1") {
  CHECK(inputs::uniform(0) > 0);
  CHECK(inputs::uniform(~uint64_t{0}) < 1);
  CHECK(inputs::integerBelow(0, 7) == 0);
  CHECK(inputs::integerBelow(~uint64_t{0}, 7) == 6);
  CHECK(inputs::integerBelow(~uint64_t{0}, int64_t{1} << 62) == (int64_t{1} << 62) - 1);
}

TEST_CASE("normal quantiles are those of the tables") {
  CHECK(inputs::normalQuantile(0.5) == 0);
  CHECK(inputs::normalQuantile(0.975) == doctest::Approx(1.959963985).epsilon(1e-7));
  CHECK(inputs::normalQuantile(0.025) == doctest::Approx(-1.959963985).epsilon(1e-7));
  CHECK(inputs::normalQuantile(0.9) == doctest::Approx(1.281551566).epsilon(1e-7));
  CHECK(inputs::normalQuantile(1e-10) == doctest::Approx(-6.361340902).epsilon(1e-6));
  CHECK(inputs::normalQuantile(1e-13) == doctest::Approx(-7.348796103).epsilon(1e-6));
}

TEST_CASE("normal numbers have mean 0 and variance 1") {
  double sum = 0, squares = 0;
  constexpr int count = 200000;
  for (int i = 0; i < count; ++i) {
    double x = inputs::normalQuantile(inputs::uniform(inputs::randomBits(3, i)));
    sum += x;
    squares += x * x;
  }
  CHECK(std::abs(sum / count) < 0.01);
  CHECK(squares / count == doctest::Approx(1).epsilon(0.02));
}
