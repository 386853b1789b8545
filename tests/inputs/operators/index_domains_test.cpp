#include "inputs/operators/facts.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "tests/inputs/data/drawn.h"

using tests::drawn;
using Values = std::vector<int64_t>;

TEST_CASE("indices are in the range that the operator's meaning gives them") {
  struct Row {
    const char* op;
    const char* call;
    size_t argument, item;
    int64_t bound;
  };
  const Row rows[] = {
      {"aten.embedding.default", "((T([30, 4], f16), T([9, 50], i64)), {})", 1, 0, 30},
      {"aten.embedding_renorm_.default", "((T([30, 4], f16), T([500], i64), 1.0, 2.0), {})", 1, 0, 30},
      {"aten.embedding_dense_backward.default", "((T([9, 50, 4], f16), T([9, 50], i64), 20, -1, False), {})", 1, 0, 20},
      {"aten._embedding_bag.default", "((T([30, 4], f16), T([500], i64), T([10], i64)), {})", 1, 0, 30},
      {"aten._embedding_bag_per_sample_weights_backward.default",
       "((T([10, 4], f16), T([30, 4], f16), T([500], i64), T([10], i64), T([500], i64), 0), {})", 2, 0, 30},
      {"aten._embedding_bag_dense_backward.default",
       "((T([10, 4], f16), T([500], i64), T([500], i64), T([10], i64), T([10], i64), 30, False, 0, None), {})", 1, 0, 30},
      {"aten.gather.default", "((T([5, 30], f16), -1, T([5, 100], i64)), {})", 2, 0, 30},
      {"aten.gather.default", "((T([], f16), 0, T([], i64)), {})", 2, 0, 1},
      {"aten.index_select.default", "((T([30, 5], f16), 0, T([400], i64)), {})", 2, 0, 30},
      {"aten.index_add_.default", "((T([30, 5], f16), 0, T([400], i64), T([400, 5], f16)), {})", 2, 0, 30},
      {"aten.scatter_add.default", "((T([5, 30], f16), 1, T([5, 100], i64), T([5, 100], f16)), {})", 2, 0, 30},
      {"aten.scatter_reduce.two", "((T([5, 30], f16), 1, T([5, 100], i64), T([5, 100], f16), 'sum'), {})", 2, 0, 30},
      {"aten.index_fill.int_Scalar", "((T([30, 5], f16), 0, T([400], i64), 1), {})", 2, 0, 30},
      {"aten.take.default", "((T([5, 6], f16), T([400], i64)), {})", 1, 0, 30},
      {"aten.put_.default", "((T([5, 6], f16), T([400], i64), T([400], f16), True), {})", 1, 0, 30},
      {"aten.index.Tensor", "((T([7, 30], f16), [None, T([20, 20], i64)]), {})", 1, 1, 30},
      {"aten.index.Tensor", "((T([3, 4, 30], f16), [T([3, 4], b8), T([400], i64)]), {})", 1, 1, 30},
      {"aten._index_put_impl_.default", "((T([30, 4], f32), [T([400], i64)], T([400, 4], f32), True, True), {})", 1, 0, 30},
      {"aten.nll_loss_forward.default", "((T([400, 30], f16), T([400], i64), None, 1, -100), {})", 1, 0, 30},
      {"aten.nll_loss_forward.default", "((T([30], f16), T([], i64), None, 1, -100), {})", 1, 0, 30},
      {"aten.nll_loss2d_forward.default", "((T([2, 30, 9, 9], f16), T([2, 9, 9], i64), None, 1, -100), {})", 1, 0, 30},
      {"aten.nll_loss_backward.default", "((T([], f16), T([400, 30], f16), T([400], i64), None, 1, -100, T([], f16)), {})", 2, 0,
       30},
      {"aten._sparse_coo_tensor_with_dims_and_tensors.default", "((1, 1, [30, 4], T([1, 400], i64), T([400, 4], f16)), {})", 3, 0,
       30},
      {"aten.nll_loss_nd.default", "((T([400, 30], f16), T([400], i64), None, 1, -100), {})", 1, 0, 30},
      {"aten.cross_entropy_loss.default", "((T([2, 30, 200], f16), T([2, 200], i64)), {})", 1, 0, 30},
      {"aten.multi_margin_loss_backward.default", "((T([], f32), T([400, 30], f32), T([400], i64), 1, 1.0), {})", 2, 0, 30},
      {"aten.multilabel_margin_loss_forward.default", "((T([20, 30], f32), T([20, 30], i64), 1), {})", 1, 0, 30},
      {"aten.one_hot.default", "((T([400], i64), 30), {})", 0, 0, 30},
      {"aten.take_along_dim.default", "((T([5, 30], f16), T([5, 100], i64), 1), {})", 1, 0, 30},
      {"aten.gather_backward.default", "((T([5, 100], f16), T([5, 30], f16), 1, T([5, 100], i64), False), {})", 3, 0, 30},
      {"aten.index_select_backward.default", "((T([400, 5], f16), [30, 5], 0, T([400], i64)), {})", 3, 0, 30},
      {"aten.value_selecting_reduction_backward.default", "((T([400], f16), 1, T([400], i64), [400, 30], False), {})", 2, 0, 30},
      {"aten.embedding_sparse_backward.default", "((T([400, 4], f16), T([400], i64), 30, -1, False), {})", 1, 0, 30},
      {"aten.max_unpool2d.default", "((T([2, 3, 4], f16), T([2, 3, 4], i64), [5, 6]), {})", 1, 0, 30},
      {"aten.searchsorted.Tensor", "((T([30], f16), T([4], f16), False, False, None, T([30], i64)), {})", 5, 0, 30},
      {"aten.bincount.default", "((T([400], i64),), {})", 0, 0, 4},
  };
  for (const Row& row : rows) {
    CAPTURE(row.op);
    Values values = drawn<int64_t>(row.op, row.call, row.argument, row.item);
    std::erase(values, -100);  // targets that a loss takes no notice of
    CHECK(*std::min_element(values.begin(), values.end()) >= 0);
    CHECK(*std::max_element(values.begin(), values.end()) < row.bound);
    if (values.size() >= 400)
      CHECK(std::set<int64_t>(values.begin(), values.end()).size() > static_cast<size_t>(row.bound) * 3 / 4);
  }
}

TEST_CASE("an eighth of what a loss or a gradient takes are the number that stands for none, and never the first") {
  struct Row {
    const char* op;
    const char* call;
    size_t argument;
    int64_t none;
  };
  const Row rows[] = {
      {"aten.nll_loss_forward.default", "((T([4000, 30], f16), T([4000], i64), None, 1, -100), {})", 1, -100},
      {"aten.nll_loss2d_forward.default", "((T([2, 30, 50, 40], f16), T([2, 50, 40], i64), None, 1, 7), {})", 1, 7},
      {"aten.embedding_dense_backward.default", "((T([4000, 4], f16), T([4000], i64), 30, 0, False), {})", 1, 0},
  };
  for (const Row& row : rows) {
    CAPTURE(row.op);
    const Values values = drawn<int64_t>(row.op, row.call, row.argument);
    const auto none = std::count(values.begin(), values.end(), row.none);
    CHECK(none > 4000 / 12);
    CHECK(none < 4000 / 4);
  }
  const Values whole =
      drawn<int64_t>("aten.embedding_dense_backward.default", "((T([400, 4], f16), T([400], i64), 30, -1, False), {})", 1);
  CHECK(std::count(whole.begin(), whole.end(), -1) == 0);
  CHECK(drawn<int64_t>("aten.nll_loss_forward.default", "((T([30], f16), T([], i64), None, 1, -100), {})", 1)[0] >= 0);
}

TEST_CASE("groups of a product end one after another, the last one with the rows, the columns or the terms") {
  const auto ends = [](const char* call) { return drawn<int64_t>("aten._grouped_mm.default", call, 2); };
  using Ends = std::vector<int64_t>;
  CHECK(ends("((T([40, 16], bf16), T([4, 16, 8], bf16), T([4], i64)), {})") == Ends{10, 20, 30, 40});
  CHECK(ends("((T([3, 16, 8], bf16), T([8, 20], bf16), T([3], i64)), {})") == Ends{6, 13, 20});
  CHECK(ends("((T([16, 8], bf16), T([8, 24], bf16), T([2], i64)), {})") == Ends{4, 8});
}

TEST_CASE("indices written without accumulation are distinct") {
  struct Row {
    const char* op;
    const char* call;
    size_t argument, item;
  };
  const Row rows[] = {
      {"aten.index_put_.default", "((T([300, 4], f16), [T([300], i64)], T([300, 4], f16)), {})", 1, 0},
      {"aten.index_put.default", "((T([4, 300], f16), [None, T([10, 20], i64)], T([4, 10, 20], f16), False), {})", 1, 1},
      {"aten.index_copy.default", "((T([300, 4], f16), 0, T([200], i64), T([200, 4], f16)), {})", 2, 0},
      {"aten.put_.default", "((T([20, 20], f16), T([300], i64), T([300], f16)), {})", 1, 0},
      {"aten.scatter.src", "((T([300], f16), 0, T([300], i64), T([300], f16)), {})", 2, 0},
  };
  for (const Row& row : rows) {
    CAPTURE(row.op);
    Values values = drawn<int64_t>(row.op, row.call, row.argument, row.item);
    CHECK(std::set<int64_t>(values.begin(), values.end()).size() == values.size());
    CHECK(*std::min_element(values.begin(), values.end()) >= 0);
  }
}

TEST_CASE("several index tensors address distinct elements together") {
  const char* call = "((T([20, 30, 4], f16), [T([500], i64), T([500], i64)], T([500, 4], f16)), {})";
  Values rows = drawn<int64_t>("aten.index_put.default", call, 1, 0),
         columns = drawn<int64_t>("aten.index_put.default", call, 1, 1);
  std::set<std::pair<int64_t, int64_t>> pairs;
  for (size_t i = 0; i < rows.size(); ++i) pairs.insert({rows[i], columns[i]});
  CHECK(pairs.size() == 500);
  CHECK(*std::max_element(rows.begin(), rows.end()) < 20);
  CHECK(*std::max_element(columns.begin(), columns.end()) < 30);
}

TEST_CASE("scatter writes no element twice along its dimension, whatever the others are") {
  Values index = drawn<int64_t>("aten.scatter.src", "((T([4, 50, 3], f16), 1, T([4, 20, 3], i64), T([4, 20, 3], f16)), {})", 2);
  for (int64_t i = 0; i < 4; ++i) {
    for (int64_t k = 0; k < 3; ++k) {
      std::set<int64_t> column;
      for (int64_t j = 0; j < 20; ++j) column.insert(index[i * 60 + j * 3 + k]);
      CHECK(column.size() == 20);
      CHECK(*column.rbegin() < 50);
    }
  }
}

TEST_CASE("bags: offsets start at 0, do not decrease, and agree with the bag of each index") {
  CHECK(drawn<int64_t>("aten._embedding_bag.default", "((T([30, 4], f16), T([10], i64), T([4], i64)), {})", 2) ==
        Values{0, 3, 5, 8});
  CHECK(drawn<int64_t>("aten._embedding_bag.default",
                       "((T([30, 4], f16), T([10], i64), T([5], i64), False, 0, False, None, True), {})",
                       2) == Values{0, 3, 5, 8, 10});
  const char* backward = "((T([4, 4], f16), T([30, 4], f16), T([10], i64), T([4], i64), T([10], i64), 0), {})";
  CHECK(drawn<int64_t>("aten._embedding_bag_per_sample_weights_backward.default", backward, 3) == Values{0, 3, 5, 8});
  CHECK(drawn<int64_t>("aten._embedding_bag_per_sample_weights_backward.default", backward, 4) ==
        Values{0, 0, 0, 1, 1, 2, 2, 2, 3, 3});
}

TEST_CASE("a mask has as many trues as there are values to put") {
  auto mask = drawn<int64_t>("aten.index_put_.default", "((T([10, 4], f16), [T([10], b8)], T([3, 4], f16)), {})", 1);
  CHECK(std::count(mask.begin(), mask.end(), 1) == 3);
  auto plane = drawn<int64_t>("aten.index_put_.default", "((T([10, 4, 2], f16), [T([10, 4], b8)], T([17, 2], f16)), {})", 1);
  CHECK(std::count(plane.begin(), plane.end(), 1) == 17);
}

TEST_CASE("pooling indices lie in the window of their output") {
  Values indices = drawn<int64_t>("aten.max_pool2d_with_indices_backward.default",
                                  "((T([2, 3, 4, 4], f16), T([2, 3, 7, 8], f16), [3, 3], [2, 2], [1, 1], [1, 1], False, "
                                  "T([2, 3, 4, 4], i64)), {})",
                                  7);
  for (size_t i = 0; i < indices.size(); ++i) {
    int64_t row = indices[i] / 8, column = indices[i] % 8, top = static_cast<int64_t>(i / 4 % 4) * 2 - 1,
            left = static_cast<int64_t>(i % 4) * 2 - 1;
    CHECK(row >= std::max<int64_t>(top, 0));
    CHECK(row <= std::min<int64_t>(top + 2, 6));
    CHECK(column >= std::max<int64_t>(left, 0));
    CHECK(column <= std::min<int64_t>(left + 2, 7));
  }
  Values adaptive = drawn<int64_t>("aten.adaptive_max_pool2d_backward.default",
                                   "((T([1, 2, 2], f16), T([1, 5, 4], f16), T([1, 2, 2], i64)), {})", 2);
  for (size_t i = 0; i < 4; ++i) {
    int64_t row = adaptive[i] / 4, column = adaptive[i] % 4;
    CHECK(row / 3 <= static_cast<int64_t>(i / 2));
    CHECK(row >= static_cast<int64_t>(i / 2) * 2);
    CHECK(column / 2 == static_cast<int64_t>(i % 2));
  }
  Values dilated =
      drawn<int64_t>("aten.max_pool3d_with_indices_backward.default",
                     "((T([1, 3, 3, 3], f16), T([1, 7, 7, 7], f16), [3], [], [2], [2], False, T([1, 3, 3, 3], i64)), {})", 7);
  CHECK(*std::min_element(dilated.begin(), dilated.end()) >= 0);
  CHECK(*std::max_element(dilated.begin(), dilated.end()) < 343);
}

TEST_CASE("the weight of all targets is their number") {
  const char* call = "((T([], f32), T([40, 30], f32), T([40], i64), None, 1, -100, T([], f32)), {})";
  CHECK(drawn<float>("aten.nll_loss_backward.default", call, 6) == std::vector<float>{40});
}

TEST_CASE("boundaries ascend") {
  CHECK(drawn<float>("aten.bucketize.Tensor", "((T([5], f32), T([4], f32)), {})", 1) == std::vector<float>{-4, -3, -2, -1});
}

TEST_CASE("an index tensor that repeats itself holds one value for what it repeats") {
  Values index =
      drawn<int64_t>("aten.scatter.src", "((T([5, 9], f16), 1, T([5, 4], i64, stride=(0, 1)), T([5, 4], f16)), {})", 2);
  CHECK(index.size() == 4);
  CHECK(std::set<int64_t>(index.begin(), index.end()).size() == 4);
}

TEST_CASE("no index is valid in an empty dimension") {
  CHECK_THROWS_WITH_AS(drawn<int64_t>("aten.embedding.default", "((T([0, 4], f16), T([2], i64)), {})", 1),
                       "no index is valid in a dimension of size 0", ir::Error);
  CHECK(drawn<int64_t>("aten.embedding.default", "((T([0, 4], f16), T([0], i64)), {})", 1).empty());
}

TEST_CASE("indices of fewer dimensions than are pooled over are refused") {
  CHECK_THROWS_WITH_AS(
      drawn<int64_t>("aten.max_pool2d_with_indices_backward.default",
                     "((T([1, 2, 4, 4], f16), T([1, 2, 7, 8], f16), [3], [2], [1], [1], False, T([4], i64)), {})", 7),
      "i64[4] has no 2 dimensions to pool over", ir::Error);
}

TEST_CASE("a mask has no more trues than there are values to scatter, however often it is broadcast") {
  auto mask = drawn<int64_t>("aten.masked_scatter.default", "((T([3, 10], f16), T([10], b8), T([8], f16)), {})", 1);
  CHECK(std::count(mask.begin(), mask.end(), 1) == 2);
}

TEST_CASE("a mask of more dimensions than what is written to, which ATen refuses, is any mask") {
  const auto sample = tests::sampleOf("aten.index_put.default", "((T([4], f32), [T([2, 3], b8)], T([5], f32)), {})");
  CHECK(std::holds_alternative<inputs::Plain>(inputs::valueRangeOf(sample, 1)));
}

TEST_CASE("a sample may give what an operator takes: negative indices and marks of no class where it has them") {
  struct Row {
    const char* op;
    const char* call;
    size_t argument;
    std::vector<int64_t> legal, illegal;
  };
  const Row rows[] = {
      {"aten.gather.default", "((T([5, 30], f16), 1, T([5, 9], i64)), {})", 2, {0, 29}, {-1, 30}},
      {"aten.scatter.src", "((T([5, 30], f16), 1, T([5, 9], i64), T([5, 9], f16)), {})", 2, {0, 29}, {-1, 30}},
      {"aten.index_copy.default", "((T([30], f16), 0, T([9], i64), T([9], f16)), {})", 2, {0, 29}, {-1, 30}},
      {"aten.index_fill.int_Scalar", "((T([30], f16), 0, T([9], i64), 1), {})", 2, {-30, 29}, {-31, 30}},
      {"aten.index.Tensor", "((T([30, 5], f16), [T([9], i64)]), {})", 1, {-30, 29}, {-31, 30}},
      {"aten.index_put_.default", "((T([30], f16), [T([9], i64)], T([9], f16)), {})", 1, {-30, 29}, {-31, 30}},
      {"aten.take.default", "((T([5, 6], f16), T([9], i64)), {})", 1, {-30, 29}, {-31, 30}},
      {"aten.embedding.default", "((T([30, 5], f16), T([9], i64)), {})", 1, {0, 29}, {-1, 30}},
      {"aten.nll_loss_forward.default", "((T([9, 30], f16), T([9], i64), None, 1, -100), {})", 1, {0, 29, -100}, {-1, 30}},
      {"aten._embedding_bag.default", "((T([30, 4], f16), T([9], i64), T([3], i64)), {})", 2, {0, 9}, {-1, 10}},
      {"aten.one_hot.default", "((T([9], i64),), {})", 0, {0, 1000}, {-1}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.op);
    const inputs::Sample sample = tests::sampleOf(row.op, row.call);
    const auto range = inputs::domainOf(inputs::Call(sample, 0), row.argument);
    REQUIRE(range);
    for (int64_t value : row.legal) CHECK(range->legal.hold(value));
    for (int64_t value : row.illegal) CHECK_FALSE(range->legal.hold(value));
  }
}

TEST_CASE("values that may meet in an element are equal where they are not combined") {
  struct Row {
    const char* op;
    const char* call;
    size_t argument;
    bool areEqual;
  };
  const Row rows[] = {
      {"aten.scatter.src", "((T([9], f32), 0, T([9], i64), T([9], f32)), {})", 3, false},
      {"aten.scatter.src", "((T([8], f32), 0, T([9], i64), T([9], f32)), {})", 3, true},
      {"aten.scatter.src", "((T([9], f32), 0, T([3], i64, values=[1, 2, 1]), T([3], f32)), {})", 3, true},
      {"aten.scatter_add.default", "((T([8], f32), 0, T([9], i64), T([9], f32)), {})", 3, false},
      {"aten.index_copy.default", "((T([2, 8], f32), -1, T([9], i64), T([2, 9], f32)), {})", 3, true},
      {"aten.index_put.default", "((T([3, 3], f32), [T([9], i64), T([9], i64)], T([9], f32)), {})", 2, false},
      {"aten.index_put.default", "((T([2, 3], f32), [T([9], i64), T([9], i64)], T([9], f32)), {})", 2, true},
      {"aten.index_put.default", "((T([2, 3], f32), [T([9], i64), T([9], i64)], T([9], f32), True), {})", 2, false},
      {"aten.put.default", "((T([2, 3], f32), T([9], i64), T([9], f32)), {})", 2, true},
  };
  for (const Row& row : rows) {
    CAPTURE(row.call);
    const auto values = drawn<float>(row.op, row.call, row.argument);
    CHECK((std::set<float>(values.begin(), values.end()).size() == 1) == row.areEqual);
  }
}
