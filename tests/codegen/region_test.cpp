// Regions of networks for a GPU: whole, or cut where that is refused or loses to its calls.
#include <doctest/doctest.h>

#include <fmt/format.h>

#include <algorithm>

#include "codegen/compile.h"
#include "ir/error.h"
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

codegen::Plan regionPlan(const std::string& text) { return codegen::compile(ir::parseGraph(text), tests::hopper()); }

std::vector<std::vector<int>> callsOfParts(const codegen::Plan& plan) {
  std::vector<std::vector<int>> calls;
  for (const codegen::Part& part : plan.parts) calls.push_back(part.nodes);
  return calls;
}
using CallsOfParts = std::vector<std::vector<int>>;

const std::string twoSums = R"(graph
  in x0 f32[64, 128]
  y0 f32[64, 1] = aten.sum.dim_IntList(self=x0, dim=[1], keepdim=True, dtype=None)
  y1 f32[64, 128] = aten.sub.Tensor(self=x0, other=y0, alpha=1)
  y2 f32[64, 128] = aten.cumsum.default(self=y1, dim=1, dtype=None)
  y3 f32[64, 128] = aten.exp.default(self=y2)
  return y3
)";

TEST_CASE("a region that is refused is cut where the compiler takes both sides, and says why") {
  const codegen::Plan plan = regionPlan(twoSums);
  CHECK(plan.fallbackReason.empty());
  REQUIRE(plan.parts.size() > 1);
  CHECK(plan.parts[0].reason.empty());
  for (std::size_t i = 1; i < plan.parts.size(); ++i) CHECK_FALSE(plan.parts[i].reason.empty());
  CHECK(codegen::summaryOf(plan.parts).starts_with("cut into"));
  CHECK(plan.launches() == static_cast<int>(plan.steps.size()));
  CHECK(plan.kernels.size() == plan.programs.size());
  std::vector<int> all;
  for (const codegen::Part& part : plan.parts) all.insert(all.end(), part.nodes.begin(), part.nodes.end());
  std::sort(all.begin(), all.end());
  CHECK(all == std::vector<int>{0, 1, 2, 3});
}

TEST_CASE("a call that nothing can generate is ATen's, between parts that are generated") {
  const codegen::Plan plan = regionPlan(R"(graph
  in x0 f32[64, 64]
  y0 f32[64, 64] = aten.exp.default(self=x0)
  y1 f32[64, 64] = aten.mm.default(self=y0, mat2=x0)
  y2 f32[64, 64] = aten.neg.default(self=y1)
  return y2
)");
  CHECK(callsOfParts(plan) == CallsOfParts{{0}, {1}, {2}});
  CHECK_FALSE(plan.parts[1].isGenerated);
  CHECK(plan.parts[1].reason == "products of several rows and columns are not lowered");
  REQUIRE(plan.steps.size() == 3);
  CHECK(std::get<codegen::CallStep>(plan.steps[1]).node == 1);
  CHECK(codegen::summaryOf(plan.parts) == "cut into 3, 1 of ATen's: products of several rows and columns are not lowered");
}

TEST_CASE("calls that nothing can generate are ATen's, all of them") {
  const codegen::Plan plan = regionPlan(R"(graph
  in x0 f32[64, 64]
  y0 f32[64, 64] = aten.mm.default(self=x0, mat2=x0)
  y1 f32[64, 64] = aten.mm.default(self=y0, mat2=x0)
  return y1
)");
  CHECK(plan.fallbackReason == "products of several rows and columns are not lowered");
  CHECK(plan.steps.size() == 2);
}

TEST_CASE("what is stored and summed by columns is one part, as one traversal does both") {
  const codegen::Plan plan = regionPlan(R"(graph
  in x0 f32[4096, 3072]
  in x1 f32[4096, 3072]
  y0 f32[4096, 3072] = aten.gelu_backward.default(grad_output=x0, self=x1, approximate="none")
  y1 f32[1, 3072] = aten.sum.dim_IntList(self=y0, dim=[0], keepdim=True, dtype=None)
  return y0, y1
)");
  CHECK(plan.parts.empty());
  CHECK(plan.launches() == 1);
}

TEST_CASE("what a sum of columns would compute again is read where it is stored anyway") {
  const codegen::Plan plan = regionPlan(R"(graph
  in x0 f32[2, 768]
  in x1 f32[2, 197, 768]
  in x2 f32[2, 197, 1]
  in x3 f32[2, 197, 1]
  in x4 f32[768]
  in x5 f32[768]
  y0 f32[2, 197, 768] = aten.select_backward.default(grad_output=x0, input_sizes=[2, 197, 768], dim=1, index=0)
  y1 f32[2, 197, 768], y2 f32[768], y3 f32[768] = aten.native_layer_norm_backward.default(grad_out=y0, input=x1, normalized_shape=[768], mean=x2, rstd=x3, weight=x4, bias=x5, output_mask=[True, True, True])
  y4 f32[394, 768] of y1 = aten.view.default(self=y1, size=[394, 768])
  y5 f32[1, 768] = aten.sum.dim_IntList(self=y4, dim=[0], keepdim=True, dtype=None)
  return y1, y2, y3, y5
)");
  CHECK(plan.parts.empty());
  CHECK(plan.launches() == 2);
}

TEST_CASE("a formula that is stored and summed along columns is computed once, in one traversal") {
  const std::string text = R"(graph
  in x0 f32[16384, 3072]
  y0 f32[16384, 3072] = aten.gelu.default(self=x0, approximate="none")
  y1 bf16[16384, 3072] = aten._to_copy.default(self=y0, dtype=bf16, layout=None, device=None, pin_memory=None, non_blocking=False, memory_format=None)
  y2 bf16[1, 3072] = aten.sum.dim_IntList(self=y1, dim=[0], keepdim=True, dtype=None)
  return y1, y2
)";
  const codegen::Plan plan = regionPlan(text);
  CHECK(plan.parts.empty());
  CHECK(plan.launches() == 1);
}

TEST_CASE("windows that two traversals would gather are stored, where loading them twice takes longer than memory does") {
  const std::string text = R"(graph
  in x0 f16[32, 64, 56, 56] strides (200704, 1, 3584, 64)
  in x1 f16[32, 64, 112, 112] strides (802816, 1, 7168, 64)
  in x2 i64[32, 64, 56, 56] strides (200704, 1, 3584, 64)
  in x3 f16[32, 64, 112, 112] strides (802816, 1, 7168, 64)
  in x4 f16[64]
  in x5 f16[64]
  in x6 f16[64]
  in x7 f32[64]
  in x8 f32[64]
  y0 f16[32, 64, 112, 112] strides (802816, 1, 7168, 64) = aten.max_pool2d_with_indices_backward.default(grad_output=x0, self=x1, kernel_size=[3, 3], stride=[2, 2], padding=[1, 1], dilation=[1, 1], ceil_mode=False, indices=x2)
  y1 f16[32, 64, 112, 112] strides (802816, 1, 7168, 64) = aten.threshold_backward.default(grad_output=y0, self=x1, threshold=0)
  y2 f16[32, 64, 112, 112] strides (802816, 1, 7168, 64), y3 f16[64], y4 f16[64] = aten.native_batch_norm_backward.default(grad_out=y1, input=x3, weight=x4, running_mean=x5, running_var=x6, save_mean=x7, save_invstd=x8, train=True, eps=1e-05, output_mask=[True, True, True])
  return y2, y3, y4
)";
  CHECK(callsOfParts(regionPlan(text)) == CallsOfParts{{0, 1}, {2}});
}

TEST_CASE("windows of windows are stored in between, and what a window reads is computed there where that is little") {
  const std::string pool =
      "aten.avg_pool2d.default(self={}, kernel_size=[5, 5], stride=[1, 1], padding=[2, 2], ceil_mode=False, "
      "count_include_pad=True, divisor_override=None)\n";
  const auto poolOf = [&](const std::string& value) { return std::string(pool).replace(pool.find("{}"), 2, value); };
  const std::string in = "graph\n  in x0 f32[8, 64, 56, 56]\n  y0 f32[8, 64, 56, 56] = ";
  CHECK(callsOfParts(regionPlan(in + poolOf("x0") + "  y1 f32[8, 64, 56, 56] = " + poolOf("y0") + "  return y1\n")) ==
        CallsOfParts{{0}, {1}});
  CHECK(regionPlan(in + "aten.neg.default(self=x0)\n  y1 f32[8, 64, 56, 56] = " + poolOf("y0") + "  return y1\n").parts.empty());
}

TEST_CASE("parts are given their schedules one after another") {
  const codegen::Plan plan = regionPlan(twoSums);
  std::vector<std::string> texts;
  for (const auto& schedule : plan.schedules) texts.push_back(toText(*schedule));
  const auto compiledWith = [&] { return codegen::compile(ir::parseGraph(twoSums), tests::hopper(), texts); };
  CHECK(compiledWith().schedules == plan.schedules);
  texts.emplace_back("a b");
  CHECK_THROWS_WITH_AS(compiledWith(), doctest::Contains("loop nests"), ir::Error);
}

TEST_CASE("the sums of many matrices, as of the biases that layers share, fit into a CTA's shared memory together") {
  std::string text = "graph\n", sums, total = "y0";
  for (int i = 0; i < 12; ++i) {
    text += fmt::format("  in x{} bf16[1024, 768]\n", i);
    sums += fmt::format("  y{0} f32[768] = aten.sum.dim_IntList(self=x{0}, dim=[0], keepdim=False, dtype=torch.float32)\n", i);
    if (i == 0) continue;
    sums += fmt::format("  z{0} f32[768] = aten.add.Tensor(self={1}, other=y{0}, alpha=1)\n", i, total);
    total = fmt::format("z{}", i);
  }
  const codegen::Plan plan = codegen::compile(ir::parseGraph(text + sums + "  return " + total + "\n"), tests::hopper());
  CHECK(plan.fallbackReason.empty());
  CHECK(plan.steps.size() == 1);
}

TEST_CASE("channels of a few elements have whole warps, most of whose threads have nothing to do") {
  for (const char* dtype : {"f16", "f32"}) {
    CAPTURE(std::string(dtype));
    const codegen::Plan plan = regionPlan(fmt::format(R"(graph
  in grad_out {0}[3, 2, 4] strides (0, 0, 0)
  in input {0}[3, 2, 4]
  in weight f32[2]
  in running_mean f32[2]
  in running_var f32[2]
  in save_mean f32[0]
  in save_invstd f32[0]
  out0 {0}[3, 2, 4], out1 f32[2], out2 f32[2] = aten.native_batch_norm_backward.default(grad_out=grad_out, input=input, weight=weight, running_mean=running_mean, running_var=running_var, save_mean=save_mean, save_invstd=save_invstd, train=False, eps=1e-05, output_mask=[True, True, True])
  return out0, out1, out2
)",
                                                      dtype));
    for (const ir::KernelSource& kernel : plan.programs) CHECK(kernel.launch.block % ir::Target::warp == 0);
  }
}

}  // namespace
