#include "inputs/operators/facts.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "tests/inputs/data/drawn.h"

using tests::drawn;

namespace {

/// Smallest and largest of what a float argument is drawn as.
struct Range {
  double low, high;
};

Range rangeOf(const std::string& op, const std::string& call, size_t argument) {
  auto values = drawn<float>(op, call, argument);
  auto [low, high] = std::minmax_element(values.begin(), values.end());
  return {*low, *high};
}

}  // namespace

TEST_CASE("data is normal where the operator has a meaning for any") {
  Range range = rangeOf("aten.add.Tensor", "((T([5000], f32), T([5000], f32)), {})", 0);
  CHECK(range.low < -3);
  CHECK(range.high > 3);
}

TEST_CASE("data keeps to where the operator means something") {
  struct Row {
    const char* op;
    const char* call;
    size_t argument;
    double low, high;
  };
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const Row rows[] = {
      {"aten.sqrt.default", "((T([5000], f32),), {})", 0, 0.06, infinity},
      {"aten.rsqrt_.default", "((T([5000], f32),), {})", 0, 0.06, infinity},
      {"aten.pow.Tensor_Scalar", "((T([5000], f32), 0.5), {})", 0, 0.06, infinity},
      {"aten.pow.Tensor_Tensor", "((T([5000], f32), T([5000], f32)), {})", 0, 0.06, infinity},
      {"aten.asin.default", "((T([5000], f32),), {})", 0, -1, 1},
      {"aten.acosh.default", "((T([5000], f32),), {})", 0, 1, 8},
      {"aten.grid_sampler_2d.default", "((T([1, 1, 4, 4], f32), T([1, 40, 40, 2], f32), 0, 0, False), {})", 1, -1, 1},
      {"aten.logit.default", "((T([5000], f32),), {})", 0, 0, 1},
      {"aten.sigmoid_backward.default", "((T([5000], f32), T([5000], f32)), {})", 1, 0, 1},
      {"aten.tanh_backward.default", "((T([5000], f32), T([5000], f32)), {})", 1, -1, 1},
      {"aten.elu_backward.default", "((T([5000], f32), 1.5, 1.0, 1, True, T([5000], f32)), {})", 5, -1.5, infinity},
      {"aten._softmax_backward_data.default", "((T([50, 100], f32), T([50, 100], f32), -1, f32), {})", 1, 0, 0.02},
      {"aten._log_softmax_backward_data.default", "((T([50, 100], f32), T([50, 100], f32), -1, f32), {})", 1, -5.7, -4.1},
      {"aten.native_batch_norm.default",
       "((T([2, 500, 3, 3], f32), None, None, T([500], f32), T([500], f32), True, 0.1, 1e-05), {})", 4, 0.5, 2},
      {"aten.native_layer_norm_backward.default",
       "((T([500, 4], f32), T([500, 4], f32), [4], T([500, 1], f32), T([500, 1], f32), None, None, [True, False, False]), {})", 4,
       0.5, 2},
      {"aten.native_group_norm_backward.default",
       "((T([2, 8, 9], f32), T([2, 8, 9], f32), T([2, 4], f32), T([2, 4], f32), None, 2, 8, 9, 4, [True, False, False]), {})", 3,
       0.5, 2},
  };
  for (const Row& row : rows) {
    CAPTURE(row.op);
    Range range = rangeOf(row.op, row.call, row.argument);
    CHECK(range.low >= row.low);
    CHECK(range.high <= row.high);
  }
}

TEST_CASE("powers: a whole exponent takes any base, a negative one any but 0") {
  CHECK(rangeOf("aten.pow.Tensor_Scalar", "((T([5000], f32), 2), {})", 0).low < -3);
  for (float x : drawn<float>("aten.pow.Tensor_Scalar", "((T([5000], f32), -1.0), {})", 0)) CHECK(std::abs(x) >= 0.0625f);
  auto exponents = drawn<int64_t>("aten.pow.Scalar", "((2, T([50], i64)), {})", 1);
  CHECK(*std::min_element(exponents.begin(), exponents.end()) >= 0);
}

TEST_CASE("divisors are not zero, of any dtype") {
  for (const char* op : {"aten.div.Tensor", "aten.floor_divide.default", "aten.remainder.Tensor", "aten.fmod_.Tensor"}) {
    CAPTURE(op);
    auto whole = drawn<int64_t>(op, "((T([5000], i64), T([5000], i64)), {})", 1);
    CHECK(std::count(whole.begin(), whole.end(), 0) == 0);
    CHECK(*std::min_element(whole.begin(), whole.end()) == -8);
    auto floating = drawn<float>(op, "((T([5000], f32), T([5000], f32)), {})", 1);
    CHECK(std::none_of(floating.begin(), floating.end(), [](float x) { return std::abs(x) < 0.0625f; }));
    auto bytes = drawn<int64_t>(op, "((T([5000], u8), T([5000], u8)), {})", 1);
    CHECK(*std::min_element(bytes.begin(), bytes.end()) == 1);
  }
}

TEST_CASE("comparisons meet ties, thresholds are met, and what asks for NaN and infinity sees them") {
  auto left = drawn<float>("aten.eq.Tensor", "((T([500], f32), T([500], f32)), {})", 0);
  CHECK(std::count(left.begin(), left.end(), 0.0f) > 10);
  CHECK(std::all_of(left.begin(), left.end(), [](float x) { return 2 * x == std::floor(2 * x); }));
  auto input = drawn<float>("aten.hardtanh_backward.default", "((T([500], f32), T([500], f32), 0.0, 6.0), {})", 1);
  CHECK(std::count(input.begin(), input.end(), 0.0f) > 10);
  for (const char* op : {"aten.hardshrink_backward.default", "aten.softshrink_backward.default"}) {
    input = drawn<float>(op, "((T([500], f32), T([500], f32), 0.5), {})", 1);
    CHECK(std::count(input.begin(), input.end(), 0.5f) > 10);
  }
  auto special = drawn<float>("aten.isnan.default", "((T([500], f32),), {})", 0);
  CHECK(std::any_of(special.begin(), special.end(), [](float x) { return std::isnan(x); }));
  CHECK(std::any_of(special.begin(), special.end(), [](float x) { return std::isinf(x) && x < 0; }));
  CHECK(std::any_of(special.begin(), special.end(), [](float x) { return std::isfinite(x); }));
}

TEST_CASE("what becomes an integer has no special values, which nobody defines then") {
  const auto isTame = [](const std::string& op, const std::string& call, size_t argument) {
    return std::holds_alternative<inputs::Tame>(inputs::valueRangeOf(tests::sampleOf(op, call), argument));
  };
  CHECK(isTame("aten._to_copy.default", "((T([9], f32),), {'dtype': torch.uint8})", 0));
  CHECK_FALSE(isTame("aten._to_copy.default", "((T([9], f32),), {'dtype': f16})", 0));
  CHECK_FALSE(isTame("aten._to_copy.default", "((T([9], f32),), {'dtype': b8})", 0));
  CHECK_FALSE(isTame("aten._to_copy.default", "((T([9], f32),), {})", 0));
  CHECK(isTame("aten.copy_.default", "((T([9], i32), T([9], f32)), {})", 1));
  CHECK_FALSE(isTame("aten.copy_.default", "((T([9], f16), T([9], f32)), {})", 1));
}

TEST_CASE("where CPUs and CUDA take different views of odd values, none are drawn") {
  const auto isTame = [](const std::string& call) {
    return std::holds_alternative<inputs::Tame>(inputs::valueRangeOf(tests::sampleOf("aten._cdist_forward.default", call), 0));
  };
  CHECK(isTame("((T([5, 2], f32), T([6, 2], f32), 0.0, 2), {})"));
  CHECK(isTame("((T([5, 2], f32), T([6, 2], f32), 2.0, 1), {})"));
  CHECK_FALSE(isTame("((T([5, 2], f32), T([6, 2], f32), 2.0, 2), {})"));
  CHECK_FALSE(isTame("((T([5, 2], f32), T([6, 2], f32), 1.0, 1), {})"));
  const auto isRight = drawn<float>("aten.multilabel_margin_loss_backward.default",
                                    "((T([], f32), T([10, 5], f32), T([10, 5], i64), 1, T([10, 5], f32)), {})", 4);
  CHECK(std::all_of(isRight.begin(), isRight.end(), [](float x) { return x == 0 || x == 1; }));
}

TEST_CASE("integers are small, bools are half true") {
  auto whole = drawn<int64_t>("aten.add.Tensor", "((T([5000], i32), 1), {})", 0);
  CHECK(*std::min_element(whole.begin(), whole.end()) == -8);
  CHECK(*std::max_element(whole.begin(), whole.end()) == 8);
  auto bytes = drawn<int64_t>("aten.add.Tensor", "((T([5000], u8), 1), {})", 0);
  CHECK(*std::min_element(bytes.begin(), bytes.end()) == 0);
}
