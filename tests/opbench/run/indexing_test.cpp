// Elements at places that index tensors name, against ATen, one line an operator and shape.
#include <ATen/Tensor.h>
#include <ATen/ops/arange.h>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <limits>

#include "tests/opbench/run/operators.h"

namespace {

TEST_CASE_FIXTURE(tests::Operators, "elements and slices at indices") {
  compare("aten.gather.default", "((T([3, 7], f16), 1, T([3, 4], i64)), {})");
  compare("aten.gather.default", "((T([5, 3, 7], f16), 0, T([2, 3, 6], i64)), {})");
  compare("aten.index_select.default", "((T([5, 3, 7], f16), 0, T([9], i64)), {})");
  compare("aten.index_select.default", "((T([5, 3, 7], f16), -1, T([2], i64)), {})");
  compare("aten.embedding.default", "((T([20, 16], f16), T([3, 5], i64)), {})");
  compare("aten.embedding.default", "((T([20, 16], f16), T([], i64), 0), {})");
  compare("aten.take.default", "((T([4, 5], f16), T([3, 3], i64)), {})");
}

TEST_CASE_FIXTURE(tests::Operators, "elements are counted by bins of one width, and those outside not at all") {
  compare("aten.histc.default", "((T([1000], f32), 20, -2, 2), {})");
  compare("aten.histc.default", "((T([7, 30], f32, stride=(1, 7)), 7, 0.1, 0.7), {})");
  compare("aten.histc.default", "((T([256], f64), 32, 0, 31), {})");
  compare("aten.histc.default", "((T([9], f32, values=[0.0, 0.5, 1.0, 0.9999999, nan, -0.1, 1.1, inf, 0.25]), 4, 0, 1), {})");
  compare("aten.histc.default", "((T([], f32), 3, -4, 4), {})");
  compare("aten.histc.default", "((T([0], f32), 3, -4, 4), {})");
}

TEST_CASE_FIXTURE(tests::Operators, "a number stands for a tensor of one element, and the other way round") {
  for (const char* self : {"[]", "[1]"})
    for (const char* index : {"[]", "[1]"}) {
      const auto tensors = [&](const std::string& rest) {
        return "((T(" + std::string(self) + ", f16), 0, T(" + index + ", i64)" + rest + "), {})";
      };
      const std::string source = ", T(" + std::string(index) + ", f16)";
      compare("aten.gather.default", tensors(""));
      compare("aten.index_select.default", tensors(""));
      compare("aten.scatter.value", tensors(", 2.5"));
      compare("aten.scatter.src", tensors(source));
      compare("aten.scatter_add.default", tensors(source));
      compare("aten.scatter_reduce.two", tensors(source + ", 'amax'"));
    }
  compare("aten.gather.default", "((T([5], f16), 0, T([], i64, values=[3])), {})");
  compare("aten.scatter.value", "((T([5], f16), 0, T([], i64, values=[3]), 2.5), {})");
  compare("aten.scatter_add.default", "((T([5], f16), 0, T([], i64, values=[3]), T([], f16)), {})");
  compare("aten.index_select.default", "((T([5], f16), -1, T([], i64, values=[3])), {})");
}

TEST_CASE_FIXTURE(tests::Operators, "low-precision values that meet in few elements of many are added up in f32") {
  const tests::Edit same = [](const std::vector<at::Tensor>& tensors) { tensors[1].zero_(); };
  compare("aten.index_put.default", "((T([1000], f16), [T([124], i64)], T([124], f16), True), {})", same);
  compare("aten.index_put_.default", "((T([1000], f16), [T([124], i64)], T([124], f16), True), {})", same);
  compare("aten.embedding_dense_backward.default", "((T([60, 8], f16), T([60], i64), 1000, -1, False), {})", same);
}

TEST_CASE_FIXTURE(tests::Operators, "several index tensors, None between them, negative indices") {
  const tests::Edit negative = [](const std::vector<at::Tensor>& tensors) { tensors.back().sub_(2); };
  compare("aten.index.Tensor", "((T([5, 7], f16), [T([4], i64)]), {})", negative);
  compare("aten.index.Tensor", "((T([5, 7, 3], f16), [None, T([4, 2], i64)]), {})", negative);
  compare("aten.index.Tensor", "((T([5, 7, 3], f16), [T([4, 1], i64), T([2], i64)]), {})");
  compare("aten.index.Tensor", "((T([5, 7, 3], f16), [T([4], i64), None, T([4], i64)]), {})", negative);
  compare("aten.index.Tensor", "((T([2, 5, 7, 3], f16), [None, None, T([4, 1], i64), T([3], i64)]), {})");
}

TEST_CASE_FIXTURE(tests::Operators, "values that are added at several index tensors") {
  const tests::Edit negative = [](const std::vector<at::Tensor>& tensors) { tensors[1].sub_(2); };
  compare("aten.index_put.default", "((T([5, 7], f16), [T([40], i64)], T([40, 7], f16), True), {})", negative);
  compare("aten.index_put.default", "((T([5, 7, 3], f16), [None, T([4, 2], i64)], T([3], f16), True), {})", negative);
  compare("aten.index_put.default", "((T([5, 7, 3], f16), [T([4, 1], i64), T([2], i64)], T([4, 2, 3], f16), True), {})");
  compare("aten.index_put.default", "((T([5, 7, 3], f16), [T([4], i64), None, T([4], i64)], T([4, 7], f16), True), {})");
  compare("aten.index_put.default", "((T([5, 7], f16, stride=(1, 5)), [T([], i64)], T([], f16), True), {})");
  compare("aten.index_put.default", "((T([5, 7], f16), [T([0], i64)], T([0, 7], f16), True), {})");
  compare("aten.index_put.default", "((T([1], i64), [T([3], i64)], T([3], i64), True), {})");
  compare("aten.index_put_.default", "((T([5, 7], f16), [T([9], i64)], T([9, 7], f16), True), {})");
  compare("aten.index_put_.default", "((T([5, 7], f16), [T([9], i32), T([9], i32)], T([1], f16), True), {})");
  compare("aten._index_put_impl_.default", "((T([5, 7], f16), [None, T([9], i64)], T([5, 9], f16), True), {})", negative);
  compare("aten._unsafe_index_put.default", "((T([2, 6], f16), [T([2, 1], i64), T([8], i64)], T([2, 8], f16), True), {})");
  compare("aten.put.default", "((T([4, 5], f16), T([3, 3], i64), T([9], f16), True), {})", negative);
  compare("aten.put_.default", "((T([4, 5], f16, stride=(1, 4)), T([7], i64), T([7, 1], f16), True), {})");
  compare("aten.put.default", "((T([4, 5], f16), T([], i64), T([1, 1], f16), True), {})");
}

TEST_CASE_FIXTURE(tests::Operators, "indices that a sample gives: equal, negative and no ones") {
  compare("aten.gather.default", "((T([2, 3], f16), 1, T([2, 4], i64, values=[0, 0, 2, 2, 1, 0, 0, 2])), {})");
  compare("aten.gather.default", "((T([2, 3], f16), 1, T([2, 0], i64)), {})");
  compare("aten.index.Tensor", "((T([5, 3], f16), [T([4], i64, values=[-5, 4, 4, -1])]), {})");
  compare("aten.index.Tensor", "((T([5, 3], f16), [T([0], i64)]), {})");
  compare("aten.index_select.default", "((T([5, 3], f16), 0, T([3], i32, values=[4, 4, 0])), {})");
  compare("aten.index_select.default", "((T([5, 3], f16), 0, T([0], i64)), {})");
  compare("aten.take.default", "((T([4, 5], f16), T([3], i64, values=[-20, 19, -1])), {})");
  compare("aten.embedding.default", "((T([5, 4], f16), T([3], i64, values=[4, 4, 0])), {})");
  compare("aten.index_add.default", "((T([5, 3], f16), 0, T([4], i64, values=[4, 4, 4, 0]), T([4, 3], f16)), {})");
  compare("aten.index_add.default", "((T([5, 3], f16), 0, T([0], i64), T([0, 3], f16)), {})");
  compare("aten.scatter_add.default", "((T([5], f16), 0, T([4], i64, values=[4, 4, 4, 0]), T([4], f16)), {})");
  compare("aten.index_put.default", "((T([5, 3], f16), [T([4], i64, values=[-1, 4, 4, 0])], T([4, 3], f16), True), {})");
  compare("aten.nll_loss_forward.default", "((T([3, 7], f16), T([3], i64, values=[6, -100, 0]), None, 1, -100), {})");
  compare("aten.nll_loss_backward.default",
          "((T([], f16), T([3, 7], f16), T([3], i64, values=[6, -100, 6]), None, 1, -100, T([], f16)), {})");
}

TEST_CASE_FIXTURE(tests::Operators, "values that are combined with elements at indices") {
  compare("aten.scatter.reduce", "((T([5, 7], f16), 1, T([5, 40], i64), T([5, 40], f16)), {'reduce': 'add'})");
  compare("aten.scatter.reduce", "((T([5, 7], f16), -2, T([4, 6], i64), T([4, 7], f16)), {'reduce': 'multiply'})");
  compare("aten.scatter_.value_reduce", "((T([5, 7], f16), 0, T([9, 7], i64), 3.0), {'reduce': 'add'})");
  compare("aten.scatter_reduce.two", "((T([5, 7], f16), 1, T([5, 40], i64), T([5, 40], f16), 'sum'), {})");
  compare("aten.scatter_reduce.two", "((T([5, 7], f16), 0, T([9, 7], i64), T([9, 7], f16), 'amax'), {})");
  compare("aten.scatter_reduce.two", "((T([5, 7], f16, stride=(1, 5)), -1, T([3, 9], i64), T([4, 9], f16), 'amin'), {})");
  compare("aten.scatter_reduce.two", "((T([5, 7], i64), 0, T([9, 7], i64), T([9, 7], i64), 'amax'), {})");
  compare("aten.scatter_reduce.two", "((T([5, 7], f16), 0, T([0, 7], i64), T([9, 7], f16), 'prod'), {})");
  compare("aten.scatter_reduce.two", "((T([], f16), 0, T([], i64), T([], f16), 'amax'), {})");
  compare("aten.scatter_reduce_.two", "((T([1], f16), 0, T([9], i64), T([9], f16), 'sum'), {})");
  compare("aten.index_reduce.default", "((T([5, 7], f16), 1, T([9], i64), T([5, 9], f16), 'amin'), {})");
  compare("aten.index_reduce_.default", "((T([5, 7], f16), 0, T([3], i64), T([3, 7], f16), 'prod'), {})");
  const tests::Edit specials = [](const std::vector<at::Tensor>& tensors) {
    tensors[2].flatten().slice(0, 0, 30, 5).fill_(std::numeric_limits<double>::quiet_NaN());
    tensors[2].flatten().slice(0, 30, 60, 4).fill_(-std::numeric_limits<double>::infinity());
  };
  compare("aten.scatter_reduce.two", "((T([5, 7], f16), 0, T([9, 7], i64), T([9, 7], f16), 'amax'), {})", specials);
}

TEST_CASE_FIXTURE(tests::Operators,
                  "means of values and elements, and values that take the place of elements before they are combined") {
  for (const char* reduce : {"sum", "prod", "amax", "mean"}) {
    const std::string afresh = fmt::format(", '{}'), {{'include_self': False}})", reduce);
    compare("aten.scatter_reduce.two", "((T([5, 7], f16), 1, T([4, 9], i64), T([5, 9], f16)" + afresh);
    if (std::string(reduce) != "sum")
      compare("aten.index_reduce.default", "((T([5, 7], f16), 0, T([9], i64), T([9, 7], f16)" + afresh);
    compare("aten.scatter_reduce_.two", "((T([5], i64), 0, T([9], i64), T([9], i64)" + afresh);
  }
  compare("aten.scatter_reduce.two", "((T([5, 7], f16), 1, T([5, 40], i64), T([5, 40], f16), 'mean'), {})");
  compare("aten.scatter_reduce.two", "((T([5, 7], i64), 1, T([5, 40], i64), T([5, 40], i64), 'mean'), {})");
  compare("aten.scatter_reduce.two", "((T([], f16), 0, T([], i64), T([], f16), 'mean'), {'include_self': False})");
  compare("aten.index_reduce_.default", "((T([5, 7], f16, stride=(1, 5)), -1, T([3], i64), T([5, 3], f16), 'mean'), {})");
  compare("aten.scatter_reduce.two", "((T([5, 7], f16), 0, T([0, 7], i64), T([9, 7], f16), 'mean'), {})");
}

TEST_CASE_FIXTURE(tests::Operators, "elements where masks hold, one after another") {
  const std::string scatter = "aten.masked_scatter.default", backward = "aten.masked_scatter_backward.default";
  compare(scatter, "((T([5, 7], f16), T([5, 7], b8), T([40], f16)), {})");
  compare(scatter, "((T([5, 7], f16, stride=(1, 5)), T([7], b8), T([5, 8], f16)), {})");
  compare(scatter, "((T([7], i64), T([5, 7], b8), T([5, 8], i64)), {})");
  compare("aten.masked_scatter_.default", "((T([300], f16), T([300], b8), T([300], f16)), {})");
  compare(scatter, "((T([], f16), T([], b8), T([1], f16)), {})");
  compare(scatter, "((T([0, 7], f16), T([7], b8), T([3], f16)), {})");
  compare(backward, "((T([5, 7], f16), T([5, 7], b8), [40]), {})");
  compare(backward, "((T([5, 7], f16, stride=(0, 0)), T([7], b8), [5, 7]), {})");
  compare(backward, "((T([5, 7], f16), T([], b8), [5, 7]), {})");
}

TEST_CASE_FIXTURE(tests::Operators, "the first indices of elements that are not 0, more or fewer than there are") {
  for (const char* size : {"0", "3", "50"}) {
    compare("aten.nonzero_static.default", fmt::format("((T([5, 7], b8),), {{'size': {}}})", size));
    compare("aten.nonzero_static.default", fmt::format("((T([2, 3, 4], i64),), {{'size': {}, 'fill_value': 7}})", size));
    compare("aten.nonzero_static.default", fmt::format("((T([0, 7], f16),), {{'size': {}}})", size));
  }
}

TEST_CASE_FIXTURE(tests::Operators, "numbers as often as is said, of a count that is known") {
  const std::string op = "aten.repeat_interleave.Tensor";
  compare(op, "((T([4], i64, values=[0, 1, 2, 3]),), {'output_size': 6})");
  compare(op, "((T([3], i32, values=[2, 0, 5]),), {'output_size': 7})");
  compare(op, "((T([3], i64, values=[0, 0, 0]),), {'output_size': 0})");
}

TEST_CASE_FIXTURE(tests::Operators, "values that take the place of elements at indices") {
  compare("aten.scatter.src", "((T([5, 7], f16), 1, T([5, 4], i64), T([5, 6], f16)), {})");
  compare("aten.scatter.src", "((T([5, 7], f16, stride=(1, 5)), -2, T([3, 6], i64), T([4, 7], f16)), {})");
  compare("aten.scatter.src", "((T([], f16), 0, T([], i64), T([], f16)), {})");
  compare("aten.scatter.src", "((T([5], f16), 0, T([0], i64), T([4], f16)), {})");
  compare("aten.scatter_.src", "((T([5, 7], f16), 0, T([3, 7], i64), T([3, 7], f16)), {})");
  compare("aten.scatter.value", "((T([5, 7], f16), 1, T([5, 4], i64), 2.5), {})");
  compare("aten.scatter_.value", "((T([5, 7], b8), 1, T([5, 4], i64), True), {})");
  compare("aten.index_put.default", "((T([5, 7], f16), [T([4], i64)], T([4, 7], f16)), {})");
  compare("aten.index_put.default", "((T([5, 7, 3], f16), [None, T([2, 2], i64)], T([3], f16)), {})");
  compare("aten.index_put.default", "((T([5, 7, 3], f16), [T([4, 1], i64), T([2], i64)], T([4, 2, 3], f16)), {})");
  compare("aten.index_put.default", "((T([5, 7], f16), [T([2], i64, values=[-1, -5])], T([1], f16)), {})");
  compare("aten.index_put.default", "((T([0, 7], f16), [T([0], i64)], T([0, 7], f16)), {})");
  compare("aten.index_put_.default", "((T([5, 7], f16), [T([9], i32), T([9], i32)], T([9], f16), False), {})");
  compare("aten._index_put_impl_.default", "((T([5, 7], f16), [None, T([6], i64)], T([5, 6], f16), False), {})");
  compare("aten._unsafe_index_put.default", "((T([2, 6], f16), [T([2, 1], i64), T([6], i64)], T([2, 6], f16)), {})");
  compare("aten.index_copy.default", "((T([5, 7], f16), -1, T([4], i64), T([5, 4], f16)), {})");
  compare("aten.index_copy_.default", "((T([5, 7], f16), 0, T([], i64), T([1, 7], f16)), {})");
  compare("aten.put.default", "((T([4, 5], f16), T([3, 3], i64), T([9], f16)), {})");
  compare("aten.put_.default", "((T([4, 5], f16, stride=(1, 4)), T([7], i64), T([7, 1], f16), False), {})");
}

TEST_CASE_FIXTURE(tests::Operators, "of values that meet in an element any may be the result: data are such that all are right") {
  compare("aten.scatter.src", "((T([5], f16), 0, T([9], i64), T([9], f16)), {})");
  compare("aten.scatter_.src", "((T([5], f16), 0, T([4], i64, values=[0, 4, 4, 0]), T([4], f16)), {})");
  compare("aten.index_put.default", "((T([2, 3], f16), [T([40], i64), T([40], i64)], T([40], f16)), {})");
  compare("aten.index_copy_.default", "((T([5, 7], f16), 0, T([3], i64, values=[4, 1, 4]), T([3, 7], f16)), {})");
  compare("aten.put.default", "((T([5], f16), T([3], i64, values=[4, -1, 0]), T([3], f16)), {})");
}

TEST_CASE_FIXTURE(tests::Operators, "elements that are set at indices") {
  const tests::Edit negative = [](const std::vector<at::Tensor>& tensors) { tensors[1].sub_(2); };
  compare("aten.index_fill.int_Scalar", "((T([5, 7], f16), 1, T([3], i64), 2.5), {})", negative);
  compare("aten.index_fill.int_Scalar", "((T([5, 7, 3], f16), -3, T([0], i64), 2.5), {})");
  compare("aten.index_fill.int_Scalar", "((T([5, 7], b8), 0, T([2], i64), 1), {})");
  compare("aten.index_fill_.int_Scalar", "((T([5, 7], f16, stride=(1, 5)), 0, T([2], i64), 2.5), {})");
  compare("aten.index_fill.int_Tensor", "((T([1], f16), 0, T([], i64), T([], f16)), {})");
}

TEST_CASE_FIXTURE(tests::Operators, "places in sorted sequences") {
  compare("aten.searchsorted.Tensor", "((T([9], f16), T([3, 5], f16)), {})");
  compare("aten.searchsorted.Tensor", "((T([3, 16], f16), T([3, 40], f16)), {'right': True})");
  compare("aten.searchsorted.Tensor", "((T([2, 3, 7], f16, stride=(1, 14, 2)), T([2, 3, 5], f16)), {'out_int32': True})");
  compare("aten.searchsorted.Tensor", "((T([9], i64), T([30], f16)), {'side': 'right'})");
  compare("aten.searchsorted.Tensor", "((T([9], f16), T([3, 5], f16)), {'sorter': T([9], i64)})",
          [](const std::vector<at::Tensor>& tensors) { tensors[2].copy_(at::arange(8, -1, -1)); });
  compare("aten.searchsorted.Tensor", "((T([0], f16), T([5], f16)), {})");
  compare("aten.searchsorted.Tensor", "((T([1], f16), T([5], f16)), {})");
  compare("aten.searchsorted.Tensor", "((T([1000], f16), T([0], f16)), {})");
  compare("aten.searchsorted.Scalar", "((T([9], f16), 0.5), {})");
  compare("aten.bucketize.Tensor", "((T([4, 50], f16), T([31], f16)), {})");
  compare("aten.bucketize.Tensor", "((T([4, 50], f16, stride=(1, 4)), T([32], f16)), {'right': True, 'out_int32': True})");
  compare("aten.bucketize.Tensor", "((T([], f16), T([3], f16)), {})");
  compare("aten.bucketize.Scalar", "((2, T([7], f16)), {})");
  const tests::Edit equal = [](const std::vector<at::Tensor>& tensors) {
    tensors[0].slice(0, 0, 6).copy_(tensors[1].slice(0, 0, 6));
    tensors[0].slice(0, 6, 8).fill_(std::numeric_limits<double>::quiet_NaN());
    tensors[1].slice(0, 3, 6).copy_(tensors[1].slice(0, 2, 3).expand({3}));
    tensors[1].slice(0, 8).fill_(std::numeric_limits<double>::quiet_NaN());
  };
  compare("aten.bucketize.Tensor", "((T([9], f16), T([9], f16)), {})", equal);
  compare("aten.bucketize.Tensor", "((T([9], f16), T([9], f16)), {'right': True})", equal);
}

TEST_CASE_FIXTURE(tests::Operators, "classes as vectors") {
  compare("aten.one_hot.default", "((T([3, 5], i64), 7), {})");
  compare("aten.one_hot.default", "((T([4], i64, values=[6, 0, 6, 2]),), {})");
  compare("aten.one_hot.default", "((T([], i64), 3), {})");
}

TEST_CASE_FIXTURE(tests::Operators,
                  "gradients of bags: sums, weighted sums, means and maxima, empty bags, rows that count as none") {
  const std::string weights = "aten._embedding_bag_per_sample_weights_backward.default";
  compare(weights, "((T([4, 16], f16), T([9, 16], f16), T([30], i64), T([4], i64), T([30], i64), 0), {})");
  compare(weights, "((T([4, 16], f16, stride=(40, 1)), T([9, 16], f16), T([30], i64), T([4], i64), T([30], i64), 0, 3), {})");
  compare(weights, "((T([40, 5], f16), T([9, 5], f16), T([7], i32), T([40], i32), T([7], i32), 0), {})");
  const std::string rows = "aten._embedding_bag_dense_backward.default";
  const std::string bags = "T([30], i64), T([30], i64), T([4], i64), ";
  compare(rows, "((T([4, 16], f16), " + bags + "T([0], i64), 9, False, 0, None), {})");
  compare(rows, "((T([4, 16], f16), " + bags + "T([0], i64), 9, False, 0, T([30], f16), 2), {})");
  compare(rows, "((T([4, 16], f16), " + bags + "T([0], i64), 9, False, 1, None, 2), {})");
  compare(rows, "((T([4, 16], f16), " + bags + "T([4, 16], i64), 9, False, 2, None, 2), {})");
  compare(rows, "((T([9, 6], f16), T([5], i64), T([5], i64), T([9], i64), T([9, 6], i64), 9, False, 2, None), {})");
}

TEST_CASE_FIXTURE(tests::Operators, "gradients of bags that are found by the places where they begin") {
  const std::string begins = "T([30], i64), T([4], i64, values=[0, 7, 7, 21]), T([0], i64), ";
  compare("aten._embedding_bag_backward.default",
          "((T([4, 16], f16), " + begins + "T([4], i64), T([0], i64), 9, False, 0, False, None), {})");
  compare("aten._embedding_bag_per_sample_weights_backward.default", "((T([4, 16], f16), T([9, 16], f16), " + begins + "0), {})");
}

TEST_CASE_FIXTURE(tests::Operators,
                  "segments of slices: empty ones, by their lengths or their ends, from a first value or none") {
  for (const char* reduce : {"sum", "mean", "max", "min", "prod"})
    for (const char* initial : {"None", "2"}) {
      const auto call = [&](const std::string& data, const std::string& segments) {
        return fmt::format("(({}, '{}'), {{{}, 'initial': {}}})", data, reduce, segments, initial);
      };
      compare("aten.segment_reduce.default", call("T([7], f32)", "'lengths': T([4], i64, values=[2, 0, 4, 1])"));
      compare("aten.segment_reduce.default", call("T([7, 3], f32)", "'offsets': T([4], i64, values=[0, 3, 3, 7])"));
    }
}

TEST_CASE_FIXTURE(tests::Operators, "gradients of bags whose offsets are given as well") {
  const std::string bags = "T([30], i64), T([4], i64), T([30], i64), T([4], i64), ";
  compare("aten._embedding_bag_backward.default",
          "((T([4, 16], f16), " + bags + "T([0], i64), 9, False, 0, False, T([30], f16)), {})");
  compare("aten._embedding_bag_backward.default",
          "((T([4, 16], f16), " + bags + "T([4, 16], i64), 9, False, 2, False, None, 2), {})");
}

TEST_CASE_FIXTURE(tests::Operators, "gradients of rows") {
  compare("aten.embedding_dense_backward.default", "((T([3, 5, 16], f16), T([3, 5], i64), 20, -1, False), {})");
  compare("aten.embedding_dense_backward.default", "((T([60, 8], f16), T([60], i64), 4, 2, False), {})");
}

TEST_CASE_FIXTURE(tests::Operators, "elements and values where a mask holds") {
  compare("aten._unsafe_masked_index.default", "((T([5, 7], f16), T([4, 3], b8), [T([4, 1], i64), T([3], i64)], 2.5), {})");
  compare("aten._unsafe_masked_index_put_accumulate.default",
          "((T([5, 7], f32), T([4, 3], b8), [T([4, 1], i64), T([3], i64)], T([4, 3], f32)), {})");
}

TEST_CASE_FIXTURE(tests::Operators, "index_fill of a number") {
  compare("aten.index_fill.int_Scalar", "((T([], f16), 0, T([1], i64), 2.5), {})");
  compare("aten.index_fill.int_Scalar", "((T([], f16), 0, T([0], i64), 2.5), {})");
}

TEST_CASE_FIXTURE(tests::Operators, "values among others") {
  compare("aten.isin.Tensor_Tensor", "((T([5, 7], i64), T([2, 3], i64)), {})");
  compare("aten.isin.Tensor_Scalar", "((T([5, 7], i64), 3), {'invert': True})");
  compare("aten.isin.Scalar_Tensor", "((3, T([9], i64)), {})");
}

}  // namespace
