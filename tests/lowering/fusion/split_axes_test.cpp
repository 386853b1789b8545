// Axes that indices divide, as several.
#include "lowering/fusion/split_axes.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "lowering/analysis/reduction_nest.h"
#include "lowering/tensor/lowering.h"
#include "tests/lowering/schedule/schedules.h"

namespace {

/// The loops of a call once their axes are split; what these leave in memory is the same.
ir::Loops splitOf(const std::string& call) {
  const std::vector<ir::Loops> whole = lowering::lower(ir::parseGraph("graph\n" + call + "  return out0\n"));
  REQUIRE(whole.size() == 1);
  const std::vector<ir::Loops> split = lowering::splitAxes(whole);
  REQUIRE(split.size() == 1);
  INFO(ir::toText(split[0]));
  REQUIRE_NOTHROW(ir::verify(split[0]));
  std::vector<ir::Memory> expected = tests::randomMemory(whole[0], 5), found = expected;
  ir::interpret(whole[0], expected);
  ir::interpret(split[0], found);
  for (std::size_t b = 0; b < expected.size(); ++b) REQUIRE(tests::same(found[b], expected[b]));
  tests::checkSchedules(split[0], 6);
  return split[0];
}

using Extents = std::vector<int64_t>;

Extents extentsOf(const std::vector<const ir::Expr*>& axes) {
  Extents extents;
  for (const ir::Expr* axis : axes) extents.push_back(axis->axis().extent);
  return extents;
}

Extents extentsOf(const std::string& call) { return extentsOf(splitOf(call).axes); }

TEST_CASE("rows of windows are channels and places inside, columns are rows and columns of the image") {
  CHECK(extentsOf("  in self f16[2, 4, 8, 10]\n  out0 f16[2, 36, 80] = aten.im2col.default(self=self, kernel_size=[3, 3], "
                  "dilation=[1, 1], padding=[1, 1], stride=[1, 1])\n") == Extents{2, 4, 3, 3, 8, 10});
}

TEST_CASE("rows of a view that are summed are images and pixels") {
  const ir::Loops sums = splitOf(R"(  in self f32[4, 16, 24] strides (384, 1, 16)
  y0 f32[4, 16, 24] = aten.clone.default(self=self, memory_format=torch.contiguous_format)
  y1 f32[64, 24] of y0 = aten.view.default(self=y0, size=[64, 24])
  out0 f32[24] = aten.sum.dim_IntList(self=y1, dim=[0], keepdim=False, dtype=None)
)");
  CHECK(extentsOf(lowering::reductionNestOf(sums)->reduced) == Extents{4, 16});
}

TEST_CASE("rows of a sum are split as short as indices divide them where the sum depends on each part") {
  const auto extentsWith = [](const char* stride) {
    return extentsOf(fmt::format(R"(  in self f32[3, 2, 2, 16, 24] strides (2000, 900, {}, 24, 1)
  y0 f32[3, 2, 2, 16, 24] = aten.clone.default(self=self, memory_format=torch.contiguous_format)
  y1 f32[12, 16, 24] of y0 = aten.view.default(self=y0, size=[12, 16, 24])
  out0 f32[12, 24] = aten.sum.dim_IntList(self=y1, dim=[1], keepdim=False, dtype=None)
)",
                                 stride));
  };
  CHECK(extentsWith("400") == Extents{3, 2, 2, 24});
  CHECK(extentsWith("0") == Extents{3, 4, 24});
}

TEST_CASE("windows do not cut rows to pieces that are shorter than vectors") {
  CHECK(extentsOf("  in self f32[2, 12, 5, 7]\n  out0 f32[2, 3, 10, 14] = aten.pixel_shuffle.default(self=self, "
                  "upscale_factor=2)\n") == Extents{2, 3, 10, 14});
}

TEST_CASE("axes stay whole that nothing divides, or by what does not divide their extents") {
  CHECK(extentsOf("  in self f32[6, 10]\n  out0 f32[6, 10] = aten.neg.default(self=self)\n") == Extents{6, 10});
  CHECK(extentsOf("  in self f32[1, 1, 3, 3]\n  out0 f32[1, 1, 7, 7] = aten.upsample_nearest2d.default(self=self, "
                  "output_size=[7, 7], scales_h=None, scales_w=None)\n") == Extents{1, 1, 7, 7});
}

}  // namespace
