// Elements at places that index tensors name, against ATen, one line an operator and shape.
#include <ATen/Tensor.h>
#include <doctest/doctest.h>

#include "tests/opbench/run/operators.h"

namespace {

using tests::compare;

TEST_CASE("elements and slices at indices") {
  compare("aten.gather.default", "((T([3, 7], f16), 1, T([3, 4], i64)), {})");
  compare("aten.gather.default", "((T([5, 3, 7], f16), 0, T([2, 3, 6], i64)), {})");
  compare("aten.index_select.default", "((T([5, 3, 7], f16), 0, T([9], i64)), {})");
  compare("aten.index_select.default", "((T([5, 3, 7], f16), -1, T([2], i64)), {})");
  compare("aten.embedding.default", "((T([20, 16], f16), T([3, 5], i64)), {})");
  compare("aten.embedding.default", "((T([20, 16], f16), T([], i64), 0), {})");
  compare("aten.take.default", "((T([4, 5], f16), T([3, 3], i64)), {})");
}

TEST_CASE("several index tensors, None between them, negative indices") {
  const tests::Edit negative = [](const std::vector<at::Tensor>& tensors) { tensors.back().sub_(2); };
  compare("aten.index.Tensor", "((T([5, 7], f16), [T([4], i64)]), {})", negative);
  compare("aten.index.Tensor", "((T([5, 7, 3], f16), [None, T([4, 2], i64)]), {})", negative);
  compare("aten.index.Tensor", "((T([5, 7, 3], f16), [T([4, 1], i64), T([2], i64)]), {})");
  compare("aten.index.Tensor", "((T([5, 7, 3], f16), [T([4], i64), None, T([4], i64)]), {})", negative);
  compare("aten.index.Tensor", "((T([2, 5, 7, 3], f16), [None, None, T([4, 1], i64), T([3], i64)]), {})");
}

TEST_CASE("gradients of rows") {
  compare("aten.embedding_dense_backward.default", "((T([3, 5, 16], f16), T([3, 5], i64), 20, -1, False), {})");
  compare("aten.embedding_dense_backward.default", "((T([60, 8], f16), T([60], i64), 4, 2, False), {})");
}

}  // namespace
