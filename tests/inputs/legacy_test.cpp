#include "inputs/legacy.h"

#include <doctest/doctest.h>

#include <set>
#include <string>

using inputs::Sample;

namespace {

std::string renamed(const std::string& op, const std::string& call) {
  Sample sample;
  sample.op = op;
  inputs::parseCall(call, {"old.txt", 1}, 1, sample);
  inputs::renameLegacy(sample);
  return sample.op + " " + toText(sample);
}

}  // namespace

TEST_CASE("renamed operators keep their arguments") {
  CHECK(renamed("aten.sum.SymInt", "((T([2, 3], f16), [0], True), {})") ==
        "aten.sum.dim_IntList ((T([2, 3], f16), [0], True), {})");
  CHECK(renamed("aten.im2col_backward.default", "((T([1, 12, 8], f16), [5, 3], [2, 2], [1, 1], [0, 0], [1, 1]), {})") ==
        "aten.col2im.default ((T([1, 12, 8], f16), [5, 3], [2, 2], [1, 1], [0, 0], [1, 1]), {})");
  CHECK(renamed("aten.col2im_backward.default", "((T([1, 3, 5, 3], f16), [2, 2], [1, 1], [0, 0], [1, 1]), {})") ==
        "aten.im2col.default ((T([1, 3, 5, 3], f16), [2, 2], [1, 1], [0, 0], [1, 1]), {})");
  CHECK(renamed("aten.cholesky.default", "((T([3, 3], f32), True), {})") ==
        "aten.linalg_cholesky.default ((T([3, 3], f32),), {'upper': True})");
  CHECK(renamed("aten.qr.default", "((T([3, 2], f32),), {})") == "aten.linalg_qr.default ((T([3, 2], f32), 'reduced'), {})");
  CHECK(renamed("aten.qr.default", "((T([3, 2], f32), False), {})") ==
        "aten.linalg_qr.default ((T([3, 2], f32), 'complete'), {})");
}

TEST_CASE("scale factors become an argument a dimension, and the output size is the gradient's") {
  CHECK(renamed("aten.upsample_bilinear2d_backward.vec", "((T([1, 3, 8, 6], f16), None, [1, 3, 4, 3], True, [2.0, 2.0]), {})") ==
        "aten.upsample_bilinear2d_backward.default ((T([1, 3, 8, 6], f16), [8, 6], [1, 3, 4, 3], True, 2.0, 2.0), {})");
  CHECK(renamed("aten.upsample_nearest2d_backward.vec", "((T([1, 3, 8, 6], f16), [8, 6], [1, 3, 4, 3], None), {})") ==
        "aten.upsample_nearest2d_backward.default ((T([1, 3, 8, 6], f16), [8, 6], [1, 3, 4, 3], None, None), {})");
  CHECK(renamed("aten.upsample_linear1d_backward.vec", "((T([1, 3, 8], f16), None, [1, 3, 4], False, [2.0]), {})") ==
        "aten.upsample_linear1d_backward.default ((T([1, 3, 8], f16), [8], [1, 3, 4], False, 2.0), {})");
}

TEST_CASE("today's operators are left alone") {
  CHECK(renamed("aten.add.Tensor", "((T([2], f16), 1), {})") == "aten.add.Tensor ((T([2], f16), 1), {})");
  CHECK(renamed("aten.upsample_nearest2d.vec", "((T([1, 3, 4, 3], f16), [8, 6], None), {})") ==
        "aten.upsample_nearest2d.vec ((T([1, 3, 4, 3], f16), [8, 6], None), {})");
}

TEST_CASE("arguments that are not the old operator's are an error") {
  CHECK_THROWS_WITH_AS(renamed("aten.upsample_bilinear2d_backward.vec", "((T([1, 3, 8], f16), None, [1, 3, 4], True, None), {})"),
                       "expected (grad_output, output_size, input_size, align_corners, scale_factors) of a 2-dimensional "
                       "aten.upsample_bilinear2d_backward.vec, found ((T([1, 3, 8], f16), None, [1, 3, 4], True, None), {})",
                       ir::Error);
}

TEST_CASE("the table names each legacy operator once and none of today's") {
  std::set<std::string_view> recorded;
  for (const inputs::LegacyOperator& row : inputs::legacyOperators()) CHECK(recorded.insert(row.recorded).second);
  for (const inputs::LegacyOperator& row : inputs::legacyOperators()) CHECK_FALSE(recorded.contains(row.current));
}
