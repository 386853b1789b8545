// Windows over images, and images in another size, against ATen, one line an operator and shape.
#include <ATen/Tensor.h>
#include <ATen/ops/max_pool2d_with_indices.h>
#include <doctest/doctest.h>

#include <limits>

#include "tests/opbench/run/operators.h"

namespace {

using tests::compare;

TEST_CASE("averages of windows") {
  compare("aten.avg_pool2d.default", "((T([2, 3, 9, 10], f16), [3, 3], [2, 2], [1, 1]), {})");
  compare("aten.avg_pool2d.default", "((T([2, 3, 9, 10], f16), [3, 3], [2, 2], [1, 1], False, False), {})");
  compare("aten.avg_pool2d.default", "((T([2, 3, 9, 10], f16), [2, 2], [2, 2], [0, 0], True, False), {})");
  compare("aten.avg_pool2d.default", "((T([2, 3, 8, 8], f16), [2, 4]), {})");
  compare("aten.avg_pool2d.default", "((T([3, 8, 8], f16), [3], [1], [1], True, True, 5), {})");
  compare("aten.avg_pool2d_backward.default",
          "((T([2, 3, 5, 5], f16), T([2, 3, 9, 10], f16), [3, 3], [2, 2], [1, 1], False, True, None), {})");
  compare("aten.avg_pool2d_backward.default",
          "((T([2, 3, 5, 5], f16), T([2, 3, 9, 10], f16), [3, 3], [2, 2], [1, 1], False, False, None), {})");
  compare("aten.avg_pool2d_backward.default",
          "((T([2, 3, 4, 4], f16), T([2, 3, 8, 8], f16), [2, 2], [2, 2], [0, 0], True, True, None), {})");
  compare("aten.avg_pool2d_backward.default",
          "((T([2, 3, 3, 3], f16), T([2, 3, 8, 8], f16), [2, 2], [3, 3], [0, 0], False, True, None), {})");
  compare("aten._adaptive_avg_pool2d.default", "((T([2, 3, 7, 8], f16), [3, 4]), {})");
  compare("aten._adaptive_avg_pool2d.default", "((T([2, 3, 7, 7], f16), [1, 1]), {})");
  compare("aten._adaptive_avg_pool2d.default", "((T([2, 3, 3, 3], f16), [7, 5]), {})");
  compare("aten._adaptive_avg_pool2d_backward.default", "((T([2, 3, 3, 4], f16), T([2, 3, 7, 8], f16)), {})");
  compare("aten._adaptive_avg_pool2d_backward.default", "((T([2, 3, 7, 5], f16), T([2, 3, 3, 3], f16)), {})");
}

TEST_CASE("maxima of windows, and where they are") {
  compare("aten.max_pool2d_with_indices.default", "((T([2, 3, 9, 10], f16), [3, 3], [2, 2], [1, 1]), {})");
  compare("aten.max_pool2d_with_indices.default", "((T([2, 3, 9, 10], f16), [2, 2], [2, 2], [0, 0], [1, 1], True), {})");
  compare("aten.max_pool2d_with_indices.default", "((T([2, 3, 12, 12], f16), [3, 3], [1, 1], [1, 1], [2, 2]), {})");
  compare("aten.max_pool2d_with_indices.default", "((T([3, 9, 10], f16), [5]), {})");
  const tests::Edit edges = [](const std::vector<at::Tensor>& tensors) {
    tensors[0].fill_(-std::numeric_limits<double>::infinity());
    tensors[0].flatten().slice(0, 20, 90, 7).fill_(std::numeric_limits<double>::quiet_NaN());
    tensors[0].flatten().slice(0, 90, 120).fill_(1);
  };
  compare("aten.max_pool2d_with_indices.default", "((T([2, 3, 9, 10], f16), [3, 3], [2, 2], [1, 1]), {})", edges);
  compare("aten.max_pool2d_with_indices.default", "((T([2, 3, 9, 10], f16), [3, 3], [1, 1], [1, 1], [2, 2]), {})", edges);
  const tests::Edit places = [](const std::vector<at::Tensor>& tensors) {
    auto [values, indices] = at::max_pool2d_with_indices(tensors[1], {3, 3}, {2, 2}, {1, 1});
    tensors[2].copy_(indices);
  };
  compare("aten.max_pool2d_with_indices_backward.default",
          "((T([2, 3, 5, 5], f16), T([2, 3, 9, 10], f16), [3, 3], [2, 2], [1, 1], [1, 1], False, T([2, 3, 5, 5], i64)), {})",
          places);
}

TEST_CASE("images of the nearest elements") {
  compare("aten.upsample_nearest2d.vec", "((T([2, 3, 5, 6], f16), None, [2.0, 2.0]), {})");
  compare("aten.upsample_nearest2d.vec", "((T([2, 3, 5, 6], f16), [7, 15], None), {})");
  compare("aten.upsample_nearest2d.default", "((T([2, 3, 8, 6], f16), [4, 9], None, None), {})");
  compare("aten.upsample_nearest2d_backward.default", "((T([2, 3, 10, 12], f16), [10, 12], [2, 3, 5, 6], 2.0, 2.0), {})");
  compare("aten.upsample_nearest2d_backward.default", "((T([2, 3, 7, 15], f16), [7, 15], [2, 3, 5, 6]), {})");
}

TEST_CASE("images of lines and curves between elements") {
  compare("aten.upsample_bilinear2d.vec", "((T([2, 3, 5, 6], f16), None, True, [2.0, 2.0]), {})");
  compare("aten.upsample_bilinear2d.vec", "((T([2, 3, 5, 6], f16), [7, 15], False, None), {})");
  compare("aten.upsample_bilinear2d.default", "((T([2, 3, 8, 6], f16), [1, 6], True), {})");
  compare("aten.upsample_bicubic2d.vec", "((T([2, 3, 5, 6], f16), [9, 12], False, None), {})");
  compare("aten.upsample_bicubic2d.vec", "((T([2, 3, 5, 6], f16), [9, 12], True, None), {})");
  compare("aten.upsample_bilinear2d_backward.default", "((T([2, 3, 10, 12], f16), [10, 12], [2, 3, 5, 6], False, 2.0, 2.0), {})");
  compare("aten.upsample_bilinear2d_backward.default", "((T([2, 3, 7, 4], f16), [7, 4], [2, 3, 5, 6], True), {})");
}

}  // namespace
