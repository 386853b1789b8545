#include "inputs/random.h"

#include <doctest/doctest.h>

#include <bit>
#include <set>
#include <utility>
#include <vector>

#include "inputs/normals.h"

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

TEST_CASE("many normal numbers are those that are drawn one by one, bit for bit, wherever they begin") {
  for (const auto& [first, count] :
       {std::pair<uint64_t, size_t>{0, 1'000'000}, {1, 1}, {255, 257}, {(uint64_t{1} << 40) + 3, 5000}}) {
    for (const uint64_t key : {uint64_t{0}, uint64_t{77}, ~uint64_t{0}}) {
      std::vector<double> many(count);
      inputs::drawNormals(key, first, many);
      size_t different = 0;
      for (size_t i = 0; i < count; ++i) {
        const double one = inputs::normalQuantile(inputs::uniform(inputs::randomBits(key, first + i)));
        different += std::bit_cast<uint64_t>(one) == std::bit_cast<uint64_t>(many[i]) ? 0 : 1;
      }
      CHECK(different == 0);
    }
  }
}

/// A sum over the bits of numbers of a stream, that of the first version which drew them. Logarithms are the C library's, whose
/// last bits are no part of it.
TEST_CASE("normal numbers have the bits that earlier versions drew") {
  uint64_t sum = 0;
  std::vector<double> numbers(100'000);
  inputs::drawNormals(7, 0, numbers);
  for (const double number : numbers) sum = sum * 31 + std::bit_cast<uint32_t>(static_cast<float>(number));
  CHECK(sum == 13673424547387163402u);
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
