// Regions of networks, compiled whole for a GPU.
#include <doctest/doctest.h>

#include "codegen/compile.h"
#include "ir/text/text.h"
#include "tests/targets.h"

namespace {

TEST_CASE("windows that two traversals read are not held in shared memory, where a row of them would not fit") {
  const codegen::Plan plan = codegen::compile(ir::parseGraph(R"(graph
  in x0 f32[4, 64, 56, 56]
  in x1 f32[4, 64, 112, 112]
  in x2 i64[4, 64, 56, 56]
  in x3 f32[4, 64, 112, 112]
  in x4 f32[64]
  in x5 f32[64]
  in x6 f32[64]
  in x7 f32[64]
  in x8 f32[64]
  y0 f32[4, 64, 112, 112] = aten.max_pool2d_with_indices_backward.default(grad_output=x0, self=x1, kernel_size=[3, 3], stride=[2, 2], padding=[1, 1], dilation=[1, 1], ceil_mode=False, indices=x2)
  y1 f32[4, 64, 112, 112] = aten.threshold_backward.default(grad_output=y0, self=x1, threshold=0)
  y2 f32[4, 64, 112, 112], y3 f32[64], y4 f32[64] = aten.native_batch_norm_backward.default(grad_out=y1, input=x3, weight=x4, running_mean=x5, running_var=x6, save_mean=x7, save_invstd=x8, train=True, eps=1e-05, output_mask=[True, True, True])
  return y2, y3, y4
)"),
                                              tests::hopper());
  CHECK(plan.fallbackReason.empty());
  CHECK(plan.steps.size() == 1);
}

TEST_CASE("bytes beside floats: vectors of a tile are no longer than its rows") {
  const codegen::Plan plan = codegen::compile(ir::parseGraph(R"(graph
  in x0 f32[16, 1280]
  in x1 b8[16, 1280]
  in x2 f32[16, 1280, 7, 7]
  in x3 f32[16, 1280, 7, 7]
  in x4 f32[1280]
  in x5 f32[1280]
  in x6 f32[1280]
  in x7 f32[1280]
  in x8 f32[1280]
  y0 f32[16, 1280] = aten.native_dropout_backward.default(grad_output=x0, mask=x1, scale=1.25)
  y1 f32[16, 1280, 1, 1] of y0 = aten.view.default(self=y0, size=[16, 1280, 1, 1])
  y2 f32[16, 1280, 7, 7] strides (1280, 1, 0, 0) of y0 = aten.expand.default(self=y1, size=[16, 1280, 7, 7], implicit=False)
  y3 f32[16, 1280, 7, 7] = aten.hardtanh_backward.default(grad_output=y2, self=x2, min_val=0.0, max_val=6.0)
  y4 f32[16, 1280, 7, 7], y5 f32[1280], y6 f32[1280] = aten.native_batch_norm_backward.default(grad_out=y3, input=x3, weight=x4, running_mean=x5, running_var=x6, save_mean=x7, save_invstd=x8, train=True, eps=1e-05, output_mask=[True, True, True])
  return y4, y5, y6
)"),
                                              tests::hopper());
  CHECK(plan.fallbackReason.empty());
  CHECK(plan.steps.size() == 1);
}

TEST_CASE("a row's sum is stored, where what reads it is padded, transposed, or summed the other way") {
  const codegen::Plan plan = codegen::compile(ir::parseGraph(R"(graph
  in x0 f32[16, 128, 205]
  in x1 f32[16, 128, 205]
  y0 f32[16, 128, 1] = aten.sum.dim_IntList(self=x0, dim=[-1], keepdim=True, dtype=None)
  y1 f32[16, 128, 205] = aten.mul.Tensor(self=x1, other=y0)
  y2 f32[2048, 205] of y1 = aten.view.default(self=y1, size=[2048, 205])
  y3 f32[2048, 208] = aten.constant_pad_nd.default(self=y2, pad=[0, 3, 0, 0], value=0)
  y4 f32[205, 2048] strides (1, 205) of y1 = aten.permute.default(self=y2, dims=[1, 0])
  y5 f32[208, 2048] = aten.constant_pad_nd.default(self=y4, pad=[0, 0, 0, 3], value=0)
  y6 f32[1, 205] = aten.sum.dim_IntList(self=y2, dim=[0], keepdim=True, dtype=None)
  return y3, y5, y6
)"),
                                              tests::hopper());
  CHECK(plan.fallbackReason.empty());
  int reductions = 0;
  for (const lowering::LoopNest& nest : plan.nests)
    if (nest.reduction) ++reductions;
  CHECK(plan.intermediates.size() == 1);
  CHECK(reductions == 2);  // the rows' and the columns'
}

}  // namespace
