// Operators that move elements, against ATen, one line an operator and shape.
#include <doctest/doctest.h>

#include "tests/opbench/run/operators.h"

namespace {

TEST_CASE_FIXTURE(tests::Operators, "copies") {
  compare("aten.clone.default", "((T([3, 5, 7], f16),), {})");
  compare("aten.clone.default", "((T([4, 6, 10], f16, stride=(60, 1, 6)),), {'memory_format': torch.contiguous_format})");
  compare("aten.copy_.default", "((T([4, 9], f16), T([9], f32)), {})");
  compare("aten.copy_.default", "((T([4, 9], i64), T([4, 9], b8)), {})");
  compare("aten.lift_fresh_copy.default", "((T([5], i64),), {})");
}

TEST_CASE_FIXTURE(tests::Operators, "joined tensors") {
  compare("aten.cat.default", "(([T([2, 3, 5], f16), T([2, 4, 5], f16), T([2, 1, 5], f16)], 1), {})");
  compare("aten.cat.default", "(([T([2, 16], f16), T([2, 9], f16)], -1), {})");
  compare("aten.cat.default", "(([T([3, 8], f16), T([2, 8], f32)],), {})");
  compare("aten.cat.default", "(([T([0], f16), T([2, 8], f16)],), {})");
  compare("aten.cat.default", "(([T([2, 4, 6, 6], f16, stride=(144, 1, 24, 4)), T([2, 4, 6, 6], f16)], 1), {})");
  compare("aten.cat.default", "(([T([7], i64)],), {})");
  compare("aten.stack.default", "(([T([3, 8], f16), T([3, 8], f16), T([3, 8], f16)],), {})");
  compare("aten.stack.default", "(([T([3, 8], f16), T([3, 8], f16)], -1), {})");
}

TEST_CASE_FIXTURE(tests::Operators, "elements in another order") {
  compare("aten.flip.default", "((T([3, 4, 5], f16), [0, -1]), {})");
  compare("aten.repeat.default", "((T([3, 1], f16), [2, 2, 4]), {})");
  compare("aten.roll.default", "((T([2, 8, 8, 5], f16), [-3, 3], [1, 2]), {})");
  compare("aten.roll.default", "((T([4, 5], f16), [7]), {})");
}

TEST_CASE_FIXTURE(tests::Operators, "images in another order") {
  compare("aten.rot90.default", "((T([3, 4, 5], f16), 1, [0, 2]), {})");
  compare("aten.rot90.default", "((T([3, 4, 5], f16), 6, [-1, 0]), {})");
  compare("aten.rot90.default", "((T([3, 4], f16, stride=(1, 3)), -1), {})");
  compare("aten.pixel_shuffle.default", "((T([2, 12, 3, 5], f16), 2), {})");
  compare("aten.pixel_shuffle.default", "((T([9, 1, 2], f16), 3), {})");
  compare("aten.pixel_unshuffle.default", "((T([2, 3, 6, 10], f16), 2), {})");
  compare("aten.pixel_unshuffle.default", "((T([2, 0, 6, 6], f16), 3), {})");
  compare("aten.channel_shuffle.default", "((T([2, 6, 3, 5], f16), 2), {})");
  compare("aten.native_channel_shuffle.default", "((T([2, 6, 3, 5], f16), 3), {})");
}

TEST_CASE_FIXTURE(tests::Operators, "copies of views") {
  compare("aten.permute_copy.default", "((T([3, 4, 5], f16), [2, 0, -2]), {})");
  compare("aten.transpose_copy.int", "((T([3, 4, 5], f16), 0, -1), {})");
  compare("aten.transpose_copy.int", "((T([], f16), 0, -1), {})");
  compare("aten.t_copy.default", "((T([3, 4], f16),), {})");
  compare("aten.t_copy.default", "((T([3], f16),), {})");
  compare("aten.expand_copy.default", "((T([3, 1], f16), [2, -1, 4]), {})");
  compare("aten.expand_copy.default", "((T([], f16), [0, 4]), {})");
  compare("aten.view_copy.default", "((T([4, 6, 5], f16), [2, -1, 15]), {})");
  compare("aten.view_copy.default", "((T([1, 1], f16), []), {})");
  compare("aten._reshape_copy.default", "((T([4, 6, 5], f16, stride=(1, 20, 4)), [8, 15]), {})");
  compare("aten.squeeze_copy.default", "((T([1, 4, 1, 5], f16),), {})");
  compare("aten.squeeze_copy.dim", "((T([1, 4, 1, 5], f16), -2), {})");
  compare("aten.squeeze_copy.dims", "((T([1, 4, 1, 5], f16), [0, 1, 2]), {})");
  compare("aten.unsqueeze_copy.default", "((T([4, 5], f16, stride=(1, 4)), -1), {})");
  compare("aten.unsqueeze_copy.default", "((T([], f16), 0), {})");
  compare("aten.slice_copy.Tensor", "((T([4, 9], f16), 1, 1, -1, 3), {})");
  compare("aten.slice_copy.Tensor", "((T([4, 9], f16), -2, 3, 2), {})");
  compare("aten.narrow_copy.default", "((T([4, 9], f16), 1, -5, 3), {})");
  compare("aten.select_copy.int", "((T([4, 9], f16), -1, -2), {})");
  compare("aten.select_copy.int", "((T([4], f16), 0, 3), {})");
  compare("aten.unfold_copy.default", "((T([2, 14, 3], f16), 1, 3, 5), {})");
  compare("aten.unfold_copy.default", "((T([], f16), 0, 1, 1), {})");
  compare("aten.detach_copy.default", "((T([4, 9], f16, stride=(1, 4)),), {})");
}

TEST_CASE_FIXTURE(tests::Operators, "diagonals") {
  compare("aten.diagonal_copy.default", "((T([4, 6], f16), 2), {})");
  compare("aten.diagonal_copy.default", "((T([3, 4, 6], f16), -1, 2, 0), {})");
  compare("aten.diagonal_copy.default", "((T([4, 6], f16), 7), {})");
  compare("aten.diagonal_scatter.default", "((T([4, 6], f16), T([4], f16), 1), {})");
  compare("aten.diagonal_scatter.default", "((T([4, 6], f16, stride=(1, 4)), T([0], f16), -7), {})");
  compare("aten.diagonal_backward.default", "((T([3, 4], f16), [4, 3, 6], -1, -1, 0), {})");
  compare("aten.diagonal_backward.default", "((T([1], f16), [1, 1], 0, 0, 1), {})");
  compare("aten.diag_embed.default", "((T([3, 4], f16), -2), {})");
  compare("aten.diag_embed.default", "((T([3, 4], f16), 1, 0, -2), {})");
  compare("aten.diag_embed.default", "((T([3, 0], f16),), {})");
}

TEST_CASE_FIXTURE(tests::Operators, "constants") {
  compare("aten.new_zeros.default", "((T([4], f16), [3, 5]), {'dtype': f32})");
  compare("aten.new_ones.default", "((T([4], f16), [33]), {})");
  compare("aten.new_full.default", "((T([4], f16), [3, 5], -65504.0), {})");
  compare("aten.zeros_like.default", "((T([4, 7], b8),), {})");
}

TEST_CASE_FIXTURE(tests::Operators, "parts that become wholes") {
  compare("aten.slice_backward.default", "((T([4, 3, 8], f16), [4, 9, 8], 1, 2, 5, 1), {})");
  compare("aten.slice_backward.default", "((T([4, 3], f16), [4, 9], 1, -9, 9223372036854775807, 3), {})");
  compare("aten.slice_backward.default", "((T([4, 0], f16), [4, 9], 1, 5, 2, 1), {})");
  compare("aten.select_backward.default", "((T([4, 8], f16), [4, 9, 8], 1, -2), {})");
  compare("aten.slice_scatter.default", "((T([4, 9], f16), T([4, 3], f16), 1, 1, 9, 3), {})");
  compare("aten.select_scatter.default", "((T([4, 9], f16), T([4], f16), 1, 3), {})");
  compare("aten.unfold_backward.default", "((T([2, 4, 8], f16), [2, 11], 1, 8, 1), {})");
  compare("aten.unfold_backward.default", "((T([2, 3, 3], f16), [2, 14], 1, 3, 5), {})");
  compare("aten.unfold_backward.default", "((T([4, 3, 5], f16), [10, 3], 0, 5, 2), {})");
}

TEST_CASE_FIXTURE(tests::Operators, "padding with elements") {
  compare("aten.reflection_pad2d.default", "((T([2, 3, 6, 7], f16), [1, 2, 3, 0]), {})");
  compare("aten.reflection_pad1d.default", "((T([3, 9], f16), [8, 4]), {})");
  compare("aten.replication_pad2d.default", "((T([2, 3, 6, 7], f16), [1, 2, 3, 0]), {})");
  compare("aten.reflection_pad2d_backward.default", "((T([2, 3, 9, 10], f16), T([2, 3, 6, 7], f16), [1, 2, 3, 0]), {})");
  compare("aten.reflection_pad2d_backward.default", "((T([1, 2, 12, 13], f16), T([1, 2, 6, 7], f16), [3, 3, 3, 3]), {})");
  compare("aten.replication_pad2d_backward.default", "((T([2, 3, 9, 10], f16), T([2, 3, 6, 7], f16), [1, 2, 3, 0]), {})");
}

TEST_CASE_FIXTURE(tests::Operators, "elements of memory by offset and strides") {
  compare("aten.as_strided_copy.default", "((T([5, 6], f16), [3, 4], [7, 2], 1), {})");
  compare("aten.as_strided_scatter.default", "((T([5, 6], f16), T([2, 3], f16), [2, 3], [12, 2], 1), {})");
}

TEST_CASE_FIXTURE(tests::Operators, "tensors along a diagonal, and in chunks") {
  compare("aten.block_diag.default", "(([T([2, 3], f16), T([4], f16), T([], f16), T([3, 1], f16)],), {})");
  compare("aten._chunk_cat.default", "(([T([5, 3], f16), T([7, 3], f16)], 0, 4), {})");
  compare("aten._chunk_cat.default", "(([T([2, 5], f16), T([2, 6], f16)], -1, 2), {})");
}

TEST_CASE_FIXTURE(tests::Operators, "numbers at equal distances between tensors of one") {
  compare("aten.linspace.Tensor_Tensor", "((T([], f32), T([], f32), 7), {})");
  compare("aten.linspace.Scalar_Tensor", "((0.5, T([], f32), 1), {})");
  compare("aten.logspace.Tensor_Scalar", "((T([], f32), 2.5, 8, 2.0), {})");
}

TEST_CASE_FIXTURE(tests::Operators, "tensors of no others: one number everywhere, and consecutive integers") {
  compare("aten.zeros.default", "(([3, 5],), {'dtype': f16})");
  compare("aten.ones.default", "(([7],), {'dtype': i64})");
  compare("aten.full.default", "(([2, 3], -0.5), {'dtype': f32})");
  compare("aten.scalar_tensor.default", "((-65504.0,), {'dtype': f16})");
  compare("aten.arange.default", "((7,), {})");
  compare("aten.arange.start", "((-3, 40), {'dtype': i32})");
  compare("aten.arange.start_step", "((30, -3, -4), {})");
}

}  // namespace
