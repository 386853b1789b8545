#include "runtime/compare/wrong_elements.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "runtime/torch/state.h"

using runtime::partOf;

namespace {

using Places = std::vector<int64_t>;

/// The places of the elements of a matrix of six columns that a condition on row and column holds for.
template <typename Condition>
Places placesIn(int64_t rows, const Condition& condition) {
  Places places;
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < 6; ++column)
      if (condition(row, column)) places.push_back(row * 6 + column);
  return places;
}

}  // namespace

TEST_CASE("the part of an output that is wrong is named where it is one: a row, a column, a tail, every second") {
  const Places sizes{4, 6};
  CHECK(partOf(placesIn(4, [](int64_t, int64_t) { return true; }), sizes) == "all");
  CHECK(partOf(placesIn(4, [](int64_t row, int64_t) { return row == 2; }), sizes) == "[2, :]");
  CHECK(partOf(placesIn(4, [](int64_t, int64_t column) { return column == 5; }), sizes) == "[:, 5]");
  CHECK(partOf(placesIn(4, [](int64_t, int64_t column) { return column >= 4; }), sizes) == "[:, 4:6]");
  CHECK(partOf(placesIn(4, [](int64_t, int64_t column) { return column % 2 == 1; }), sizes) == "[:, 1:6:2]");
  CHECK(partOf(placesIn(4, [](int64_t row, int64_t column) { return row > 1 && column < 3; }), sizes) == "[2:4, 0:3]");
  CHECK(partOf({7}, sizes) == "[1, 1]");
}

TEST_CASE("a part may also be a run of elements across rows, or nothing that has a name") {
  const Places sizes{4, 6};
  CHECK(partOf({20, 21, 22, 23}, sizes) == "[3, 2:6]");
  CHECK(partOf({16, 17, 18, 19, 20, 21, 22, 23}, sizes) == "the last 8 in row-major order");
  CHECK(partOf({0, 1, 2, 3, 4, 5, 6}, sizes) == "the first 7 in row-major order");
  CHECK(partOf({4, 5, 6, 7}, sizes) == "4 to 7 in row-major order");
  CHECK(partOf({0, 7}, sizes) == "");
  CHECK(partOf({}, sizes) == "");
  CHECK(partOf({0}, {}) == "all");
}

TEST_CASE("how many elements are wrong, of how many, and which") {
  CHECK(toText(runtime::WrongElements{}) == "");
  CHECK(toText(runtime::WrongElements{24, 24, {0, 0}, {3, 5}, "all"}) == "all 24 elements are wrong");
  CHECK(toText(runtime::WrongElements{1, 24, {1, 1}, {1, 1}, "[1, 1]"}) == "1 of 24 elements is wrong");
  CHECK(toText(runtime::WrongElements{4, 24, {0, 5}, {3, 5}, "[:, 5]"}) == "4 of 24 elements are wrong: [:, 5]");
  CHECK(toText(runtime::WrongElements{2, 24, {0, 0}, {1, 1}, ""}) ==
        "2 of 24 elements are wrong, the first at [0, 0], the last at [1, 1]");
}

TEST_CASE("as many elements err as make up the squared error: all of them where errors are even, few where few make most of it") {
  const at::Tensor expected = at::ones({64, 32}, at::kDouble);
  const auto erring = [&](const at::Tensor& errors) {
    return runtime::erringElements(runtime::makeTensorList({expected + errors}), runtime::makeTensorList({expected}), 0);
  };
  CHECK(erring(at::full({64, 32}, 0.25, at::kDouble)) == 2048);
  at::Tensor few = at::full({64, 32}, 1e-6, at::kDouble);
  few[5].slice(0, 0, 3) = 0.5;
  few[7][7] = INFINITY;
  CHECK(erring(few) == doctest::Approx(3).epsilon(1e-3));
  CHECK(erring(at::zeros({64, 32}, at::kDouble)) == 0);
  CHECK(runtime::erringElements(runtime::makeTensorList({expected}), {}, 0) == 0);
}

TEST_CASE("an error that all elements have in common is all of it, and random ones have next to none") {
  at::manual_seed(1);
  const at::Tensor expected = at::randn({4096}, at::kDouble);
  const auto commonOf = [&](const at::Tensor& errors) {
    return runtime::commonError(runtime::makeTensorList({expected + errors}), runtime::makeTensorList({expected}), 0);
  };
  CHECK(commonOf(at::full({4096}, -0.5, at::kDouble)) == doctest::Approx(1));
  CHECK(commonOf(at::randn({4096}, at::kDouble)) < 0.01);
  CHECK(commonOf(at::randn({4096}, at::kDouble) + 2) == doctest::Approx(0.8).epsilon(0.05));
  CHECK(commonOf(at::zeros({4096}, at::kDouble)) == 0);
  CHECK(runtime::commonError(runtime::makeTensorList({expected}), {}, 0) == 0);
}
