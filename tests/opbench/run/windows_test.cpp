// Windows over images, and images in another size, against ATen, one line an operator and shape.
#include <ATen/Tensor.h>
#include <ATen/ops/adaptive_max_pool2d.h>
#include <ATen/ops/max_pool2d_with_indices.h>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <limits>

#include "tests/opbench/run/operators.h"

namespace {

TEST_CASE_FIXTURE(tests::Operators, "averages of windows") {
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

TEST_CASE_FIXTURE(tests::Operators, "maxima of windows, and where they are") {
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

TEST_CASE_FIXTURE(tests::Operators, "adaptive windows") {
  compare("aten._adaptive_avg_pool3d.default", "((T([2, 3, 5, 7, 6], f16), [2, 3, 6]), {})");
  compare("aten._adaptive_avg_pool3d.default", "((T([3, 4, 4, 4], f16, stride=(1, 48, 12, 3)), [1, 2, 4]), {})");
  compare("aten._adaptive_avg_pool3d.default", "((T([0, 3, 4, 4, 4], f16), [1, 2, 4]), {})");
  compare("aten._adaptive_avg_pool3d_backward.default", "((T([2, 3, 2, 3, 6], f16), T([2, 3, 5, 7, 6], f16)), {})");
  compare("aten._adaptive_avg_pool3d_backward.default", "((T([3, 6, 5, 4], f16), T([3, 4, 3, 4], f16)), {})");
  compare("aten.adaptive_max_pool2d.default", "((T([2, 3, 7, 8], f16), [3, 4]), {})");
  compare("aten.adaptive_max_pool2d.default", "((T([3, 3, 3], f16, stride=(1, 9, 3)), [7, 5]), {})");
  compare("aten.adaptive_max_pool2d.default", "((T([1, 1, 1, 1], f16), [1, 1]), {})");
  compare("aten.adaptive_max_pool3d.default", "((T([2, 3, 5, 7, 6], f16), [2, 3, 6]), {})");
  compare("aten._adaptive_avg_pool2d.default", "((T([2, 3, 7, 7], f16), [0, 2]), {})");
  compare("aten.adaptive_max_pool2d.default", "((T([2, 3, 7, 7], f16), [0, 2]), {})");
  const tests::Edit edges = [](const std::vector<at::Tensor>& tensors) {
    tensors[0].fill_(-std::numeric_limits<double>::infinity());
    tensors[0].flatten().slice(0, 20, 90, 7).fill_(std::numeric_limits<double>::quiet_NaN());
    tensors[0].flatten().slice(0, 90, 120).fill_(1);
  };
  compare("aten.adaptive_max_pool2d.default", "((T([2, 3, 9, 10], f16), [4, 5]), {})", edges);
  const tests::Edit places = [](const std::vector<at::Tensor>& tensors) {
    auto [values, indices] = at::adaptive_max_pool2d(tensors[1], tensors[0].sizes().slice(2));
    tensors[2].copy_(indices);
  };
  compare("aten.adaptive_max_pool2d_backward.default",
          "((T([2, 3, 4, 5], f16), T([2, 3, 9, 10], f16), T([2, 3, 4, 5], i64)), {})", places);
  compare("aten.adaptive_max_pool2d_backward.default", "((T([2, 3, 7, 5], f16), T([2, 3, 3, 3], f16), T([2, 3, 7, 5], i64)), {})",
          places);
  compare("aten.adaptive_max_pool3d_backward.default",
          "((T([2, 3, 2, 3, 6], f16), T([2, 3, 5, 7, 6], f16), T([2, 3, 2, 3, 6], i64)), {})");
}

TEST_CASE_FIXTURE(tests::Operators, "windows as columns of matrices, and back") {
  compare("aten.im2col.default", "((T([2, 3, 9, 10], f16), [3, 2], [1, 1], [1, 0], [2, 1]), {})");
  compare("aten.im2col.default", "((T([3, 9, 10], f16), [3, 3], [2, 3], [2, 3], [1, 2]), {})");
  compare("aten.im2col.default", "((T([2, 3, 8, 8], f16, stride=(192, 1, 24, 3)), [4, 4], [1, 1], [0, 0], [4, 4]), {})");
  compare("aten.im2col.default", "((T([1, 1, 20, 20], f16), [18, 18], [1, 1], [0, 0], [1, 1]), {})");
  compare("aten.im2col.default", "((T([0, 3, 4, 4], f16), [2, 2], [1, 1], [0, 0], [1, 1]), {})");
  compare("aten.im2col.default", "((T([1, 1, 1, 1], f16), [1, 1], [1, 1], [0, 0], [1, 1]), {})");
  compare("aten.col2im.default", "((T([2, 18, 55], f16), [9, 10], [3, 2], [1, 1], [1, 1], [2, 1]), {})");
  compare("aten.col2im.default", "((T([27, 45], f16), [9, 10], [3, 3], [2, 3], [2, 3], [1, 2]), {})");
  compare("aten.col2im.default", "((T([2, 48, 4], f16, stride=(192, 1, 48)), [8, 8], [4, 4], [1, 1], [0, 0], [4, 4]), {})");
  compare("aten.col2im.default", "((T([2, 12, 4], f16), [8, 8], [2, 2], [1, 1], [0, 0], [5, 5]), {})");
  compare("aten.col2im.default", "((T([0, 12, 9], f16), [4, 4], [2, 2], [1, 1], [0, 0], [1, 1]), {})");
  compare("aten.col2im.default", "((T([1, 1, 1], f16), [1, 1], [1, 1], [1, 1], [0, 0], [1, 1]), {})");
}

TEST_CASE_FIXTURE(tests::Operators, "images of the nearest elements") {
  compare("aten.upsample_nearest2d.vec", "((T([2, 3, 5, 6], f16), None, [2.0, 2.0]), {})");
  compare("aten.upsample_nearest2d.vec", "((T([2, 3, 5, 6], f16), [7, 15], None), {})");
  compare("aten.upsample_nearest2d.default", "((T([2, 3, 8, 6], f16), [4, 9], None, None), {})");
  compare("aten.upsample_nearest2d_backward.default", "((T([2, 3, 10, 12], f16), [10, 12], [2, 3, 5, 6], 2.0, 2.0), {})");
  compare("aten.upsample_nearest2d_backward.default", "((T([2, 3, 7, 15], f16), [7, 15], [2, 3, 5, 6]), {})");
}

TEST_CASE_FIXTURE(tests::Operators, "images of lines and curves between elements") {
  compare("aten.upsample_bilinear2d.vec", "((T([2, 3, 5, 6], f16), None, True, [2.0, 2.0]), {})");
  compare("aten.upsample_bilinear2d.vec", "((T([2, 3, 5, 6], f16), [7, 15], False, None), {})");
  compare("aten.upsample_bilinear2d.default", "((T([2, 3, 8, 6], f16), [1, 6], True), {})");
  compare("aten.upsample_bicubic2d.vec", "((T([2, 3, 5, 6], f16), [9, 12], False, None), {})");
  compare("aten.upsample_bicubic2d.vec", "((T([2, 3, 5, 6], f16), [9, 12], True, None), {})");
  compare("aten.upsample_bilinear2d_backward.default", "((T([2, 3, 10, 12], f16), [10, 12], [2, 3, 5, 6], False, 2.0, 2.0), {})");
  compare("aten.upsample_bilinear2d_backward.default", "((T([2, 3, 7, 4], f16), [7, 4], [2, 3, 5, 6], True), {})");
}

/// Edits of a grid, the argument of this number.
tests::Edit places(std::size_t grid, double scale) {
  return [=](const std::vector<at::Tensor>& tensors) { tensors[grid].mul_(scale); };
}

TEST_CASE_FIXTURE(tests::Operators, "images at the places of a grid") {
  for (const char* corners : {"True", "False"}) {
    for (int padding = 0; padding < 3; ++padding) {
      for (int mode = 0; mode < 2; ++mode) {
        compare("aten.grid_sampler_2d.default",
                fmt::format("((T([2, 3, 5, 6], f16), T([2, 7, 4, 2], f16), {}, {}, {}), {{}})", mode, padding, corners),
                places(1, 1.5));
      }
    }
  }
  compare("aten.grid_sampler_2d.default", "((T([2, 3, 1, 6], f16), T([2, 7, 4, 2], f16), 0, 2, True), {})", places(1, 1e4));
  const tests::Edit nowhere = [](const std::vector<at::Tensor>& tensors) {
    tensors[1].flatten().slice(0, 0, 60, 5).fill_(std::numeric_limits<double>::quiet_NaN());
    tensors[1].flatten().slice(0, 1, 60, 5).fill_(std::numeric_limits<double>::infinity());
  };
  for (int padding = 0; padding < 3; ++padding) {
    compare("aten.grid_sampler_2d.default",
            fmt::format("((T([2, 3, 5, 6], f16), T([2, 7, 4, 2], f16), 0, {}, True), {{}})", padding), nowhere);
  }
  compare("aten.grid_sampler_2d.default", "((T([0, 3, 5, 6], f16), T([0, 7, 4, 2], f16), 0, 0, True), {})");
  compare("aten.grid_sampler_2d.default", "((T([2, 3, 5, 6], f16), T([2, 0, 4, 2], f16), 0, 0, True), {})");
  compare("aten.grid_sampler_2d.default",
          "((T([2, 3, 5, 6], f16, stride=(90, 1, 18, 3)), T([2, 7, 4, 2], f16, stride=(56, 4, 1, 28)), 0, 0, False), {})");
}

TEST_CASE_FIXTURE(tests::Operators, "gradients of images and grids") {
  for (const char* corners : {"True", "False"}) {
    for (int padding = 0; padding < 3; ++padding) {
      for (int mode = 0; mode < 2; ++mode) {
        compare(
            "aten.grid_sampler_2d_backward.default",
            fmt::format("((T([2, 3, 7, 4], f16), T([2, 3, 5, 6], f16), T([2, 7, 4, 2], f16), {}, {}, {}, [True, True]), {{}})",
                        mode, padding, corners),
            places(2, 1.5));
      }
    }
  }
  compare("aten.grid_sampler_2d_backward.default",
          "((T([2, 3, 7, 4], f16), T([2, 3, 5, 1], f16), T([2, 7, 4, 2], f16), 0, 2, True, [False, True]), {})");
  compare("aten.grid_sampler_2d_backward.default",
          "((T([1, 1, 1, 1], f16), T([1, 1, 1, 1], f16), T([1, 1, 1, 2], f16), 0, 1, False, [True, False]), {})");
}

TEST_CASE_FIXTURE(tests::Operators, "the exactly nearest elements") {
  compare("aten._upsample_nearest_exact1d.default", "((T([2, 3, 7], f16), [10]), {})");
  compare("aten._upsample_nearest_exact2d.default", "((T([2, 3, 7, 5], f16), [10, 10]), {})");
  compare("aten._upsample_nearest_exact3d.default", "((T([1, 2, 3, 4, 5], f16), [6, 3, 7]), {})");
  compare("aten._upsample_nearest_exact1d_backward.default", "((T([2, 3, 10], f32), [10], [2, 3, 7]), {})");
  compare("aten._upsample_nearest_exact2d_backward.default", "((T([2, 3, 14, 10], f32), [14, 10], [2, 3, 7, 5]), {})");
  compare("aten._upsample_nearest_exact3d_backward.default", "((T([1, 2, 6, 3, 7], f32), [6, 3, 7], [1, 2, 3, 4, 5]), {})");
}

TEST_CASE_FIXTURE(tests::Operators, "averages under a triangle") {
  compare("aten._upsample_bilinear2d_aa.default", "((T([2, 3, 9, 7], f32), [4, 7], False), {})");
  compare("aten._upsample_bilinear2d_aa.default", "((T([2, 3, 5, 7], f32), [8, 3], True), {})");
  compare("aten._upsample_bilinear2d_aa_backward.default", "((T([2, 3, 4, 7], f32), [4, 7], [2, 3, 9, 5], False), {})");
  compare("aten.upsample_trilinear3d_backward.default", "((T([1, 2, 6, 4, 8], f32), [6, 4, 8], [1, 2, 3, 4, 5], False), {})");
}

TEST_CASE_FIXTURE(tests::Operators, "images of the same extents, with factors that say otherwise") {
  compareOnCpu("aten._upsample_nearest_exact2d.default", "((T([2, 3, 3, 4], f32), [3, 6], 1.3, 1.5), {})");
  compareOnCpu("aten._upsample_nearest_exact2d_backward.default", "((T([2, 3, 3, 6], f32), [3, 6], [2, 3, 3, 4], 1.3, 1.5), {})");
  compareOnCpu("aten._upsample_bilinear2d_aa.default", "((T([2, 3, 1, 2], f32), [1, 2], False, 1.3, 1.3), {})");
  compareOnCpu("aten._upsample_bilinear2d_aa_backward.default",
               "((T([2, 3, 5, 7], f32), [5, 7], [2, 3, 5, 7], False, 1.1, 1.1), {})");
  compare("aten.upsample_nearest2d_backward.default", "((T([2, 3, 5, 7], f32), [5, 7], [2, 3, 5, 7], 1.1, 1.1), {})");
}

TEST_CASE_FIXTURE(tests::Operators, "samples of volumes, and on curves") {
  for (const char* padding : {"0", "1", "2"}) {
    compare("aten.grid_sampler_2d.default",
            fmt::format("((T([2, 3, 5, 6], f32), T([2, 4, 3, 2], f32), 2, {}, False), {{}})", padding));
    compare("aten.grid_sampler_2d_backward.default",
            fmt::format("((T([2, 3, 4, 3], f32), T([2, 3, 5, 6], f32), T([2, 4, 3, 2], f32), 2, {}, True, [True, True]), {{}})",
                        padding));
    compare("aten.grid_sampler_3d.default",
            fmt::format("((T([1, 2, 4, 5, 6], f32), T([1, 2, 3, 4, 3], f32), 0, {}, False), {{}})", padding));
    compare("aten.grid_sampler_3d_backward.default",
            fmt::format(
                "((T([1, 2, 2, 3, 4], f32), T([1, 2, 4, 5, 6], f32), T([1, 2, 3, 4, 3], f32), 0, {}, True, [True, True]), {{}})",
                padding));
  }
  compare("aten.grid_sampler_3d.default", "((T([1, 2, 4, 5, 6], f64), T([1, 2, 3, 4, 3], f64), 1, 0, False), {})");
}

TEST_CASE_FIXTURE(tests::Operators, "maxima of windows at random places, and back to the places of maxima") {
  compare("aten.fractional_max_pool2d.default", "((T([2, 3, 9, 7], f16), [2, 3], [4, 3], T([2, 3, 2], f16)), {})");
  compare("aten.fractional_max_pool3d.default", "((T([2, 3, 5, 6, 7], f32), [2, 2, 3], [3, 4, 1], T([2, 3, 3], f32)), {})");
  compare("aten.fractional_max_pool2d_backward.default",
          "((T([2, 3, 4, 3], f32), T([2, 3, 9, 7], f32), [2, 3], [4, 3], T([2, 3, 4, 3], i64)), {})");
  compare("aten.fractional_max_pool3d_backward.default",
          "((T([2, 3, 3, 4, 1], f32), T([2, 3, 5, 6, 7], f32), [2, 2, 3], [3, 4, 1], T([2, 3, 3, 4, 1], i64)), {})");
  compare("aten.max_unpool2d.default", "((T([2, 3, 4, 3], f16), T([2, 3, 4, 3], i64), [8, 6]), {})");
  compare("aten.max_unpool3d.default",
          "((T([2, 2, 2, 3, 2], f16), T([2, 2, 2, 3, 2], i64), [4, 6, 4], [2, 2, 2], [0, 0, 0]), {})");
}

}  // namespace
