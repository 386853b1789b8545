// Pointwise loops that are cut to pieces where they read another tensor.
#include "lowering/fusion/cut_loops.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "lowering/fusion/fuse_loops.h"
#include "lowering/tensor/lowering.h"
#include "tests/lowering/fusion/same_results.h"

namespace {

using lowering::LoopNest;

tests::Values randomFor(const std::vector<ir::Loops>& whole) {
  tests::Values inputs;
  const std::vector<ir::Memory> memory = tests::randomMemory(whole[0], 7);
  for (std::size_t b = 0; b < memory.size(); ++b)
    if (!whole[0].buffers[b].isWritten) inputs.emplace(whole[0].buffers[b].value, memory[b]);
  return inputs;
}

/// The pieces of the loops of a call, compared with these as they are, and as kernels, for every target.
std::vector<LoopNest> cut(const std::string& call, tests::Values (*inputsFor)(const std::vector<ir::Loops>&) = randomFor) {
  const std::vector<ir::Loops> whole = lowering::lower(ir::parseGraph("graph\n" + call + "  return out0\n"));
  REQUIRE(whole.size() == 1);
  const tests::Values inputs = inputsFor(whole);
  tests::Values expected = inputs;
  tests::run(whole[0], expected);
  for (const ir::Target& target : tests::targets())
    tests::requireSame(lowering::cutLoops(lowering::analyze(whole, target), target), target, inputs, expected);
  return lowering::cutLoops(lowering::analyze(whole, tests::hopper()), tests::hopper());
}

std::size_t launches(const std::vector<LoopNest>& pieces, const ir::Target& target) {
  return tests::kernelsOf(lowering::analyzeJointly(pieces, target), target).size();
}

bool isMasked(const LoopNest& nest) {
  return std::any_of(nest.domain.loads().begin(), nest.domain.loads().end(),
                     [](const lowering::Access& load) { return load.isMasked(); });
}

/// A cat of as many tensors.
std::string catOf(int count, const std::string& type, const std::string& joined, int dim) {
  std::string lines, names;
  for (int i = 0; i < count; ++i) {
    lines += fmt::format("  in tensors{} {}\n", i, type);
    names += fmt::format("{}tensors{}", i == 0 ? "" : ", ", i);
  }
  return lines + fmt::format("  out0 {} = aten.cat.default(tensors=[{}], dim={})\n", joined, names, dim);
}

TEST_CASE("each tensor of a cat is copied by a piece of its own, all in one launch") {
  const std::vector<LoopNest> pieces = cut(catOf(3, "f16[4, 5, 7, 9]", "f16[4, 15, 7, 9]", 1));
  REQUIRE(pieces.size() == 3);
  for (const LoopNest& piece : pieces) {
    CHECK_FALSE(isMasked(piece));
    CHECK(piece.loops.buffers.size() == 2);
    CHECK(ir::toText(piece.loops).find("part out0") != std::string::npos);
    CHECK(piece.domain.inner().extent == 5 * 7 * 9);
  }
  CHECK(launches(pieces, tests::hopper()) == 1);
  CHECK(launches(pieces, tests::avx512()) == 1);
}

TEST_CASE("only the piece is transposed whose tensor lies differently") {
  const std::vector<LoopNest> pieces =
      cut("  in tensors0 f16[8, 128, 192]\n  in tensors1 f16[8, 128, 192] strides (24576, 1, 128)\n"
          "  out0 f16[2, 8, 128, 192] = aten.stack.default(tensors=[tensors0, tensors1], dim=0)\n");
  REQUIRE(pieces.size() == 2);
  CHECK_FALSE(pieces[0].transposition);
  CHECK(pieces[1].transposition);
  CHECK(launches(pieces, tests::hopper()) == 1);
}

TEST_CASE("a sum is cut where one of its tensors lies along rows and another along columns, and not else") {
  const auto sumOfBoth = [](const std::string& strides) {
    return cut("  in tensors0 f32[90, 4, 64]\n  in tensors1 f32[90, 4, 64] strides " + strides +
                   "\n  joined f32[90, 4, 128] = aten.cat.default(tensors=[tensors0, tensors1], dim=2)\n"
                   "  out0 f32[128] = aten.sum.dim_IntList(self=joined, dim=[0, 1], keepdim=False, dtype=None)\n",
               tests::integersFor);
  };
  const std::vector<LoopNest> pieces = sumOfBoth("(1, 5760, 90)");
  REQUIRE(pieces.size() == 2);
  for (const LoopNest& piece : pieces) CHECK_FALSE(isMasked(piece));
  CHECK_FALSE(pieces[0].domain.runsAlongElements());
  CHECK(pieces[1].domain.runsAlongElements());
  CHECK(sumOfBoth("(256, 64, 1)").size() == 1);
}

TEST_CASE("a sum beside a copy that is cut is cut alike on a GPU, which reads each piece once for both") {
  const ir::Graph graph = ir::parseGraph(R"(graph
  in tensors0 f32[64, 96]
  in tensors1 f32[64, 96]
  out0 f32[64, 192] = aten.cat.default(tensors=[tensors0, tensors1], dim=1)
  out1 f32[192] = aten.sum.dim_IntList(self=out0, dim=[0], keepdim=False, dtype=None)
  return out0, out1
)");
  const std::vector<ir::Loops> whole = lowering::lower(graph);
  const tests::Values inputs = tests::integersFor(whole);
  tests::Values expected = inputs;
  for (const ir::Loops& loops : whole) tests::run(loops, expected);
  const auto sumsIn = [&](const ir::Target& target) {
    const std::vector<LoopNest> pieces = lowering::cutLoops(lowering::analyze(whole, target), target);
    tests::requireSame(pieces, target, inputs, expected);
    return std::count_if(pieces.begin(), pieces.end(), [](const LoopNest& nest) { return nest.hasReductions(); });
  };
  CHECK(sumsIn(tests::hopper()) == 2);
  CHECK(sumsIn(tests::avx512()) == 1);
}

TEST_CASE("products of a row that is rotated are cut at its middle on a GPU: the halves read the same rows, each once") {
  const std::string rotated =
      "  in x f32[1, 48]\n  in w f32[48, 128] strides (1, 48)\n"
      "  y f32[1, 128] = aten.mm.default(self=x, mat2=w)\n"
      "  upper f32[1, 64] strides (128, 1) of y + 64 = aten.slice.Tensor(self=y, dim=1, start=64, end=128, step=1)\n"
      "  lower f32[1, 64] strides (128, 1) of y = aten.slice.Tensor(self=y, dim=1, start=0, end=64, step=1)\n"
      "  turned f32[1, 128] = aten.cat.default(tensors=[upper, lower], dim=1)\n"
      "  out0 f32[1, 128] = aten.add.Tensor(self=y, other=turned, alpha=2)\n";
  const std::vector<LoopNest> pieces = cut(rotated, tests::integersFor);
  REQUIRE(pieces.size() == 2);
  for (const LoopNest& piece : pieces) CHECK_FALSE(isMasked(piece));
  CHECK(lowering::fuseLoops(pieces, 12, tests::hopper()).size() == 1);
}

TEST_CASE("stored columns of several tensors are cut where a CTA has room for one row of the whole") {
  const auto stackedAndSummed = [](int heads, int channels) {
    const ir::Graph graph =
        ir::parseGraph(fmt::format(R"(graph
  in x0 f16[64, {0}, 64, {1}] strides ({2}, {1}, {3}, 1)
  in x1 f16[64, {0}, 64, {1}] strides ({2}, {1}, {3}, 1)
  in x2 f16[64, {0}, 64, {1}] strides ({2}, {1}, {3}, 1)
  y0 f16[3, 64, {0}, 64, {1}] = aten.stack.default(tensors=[x0, x1, x2], dim=0)
  y1 f16[64, 64, 3, {0}, {1}] = aten.permute_copy.default(self=y0, dims=[1, 3, 0, 2, 4])
  y2 f16[4096, {4}] of y1 = aten.view.default(self=y1, size=[4096, {4}])
  y3 f16[{4}] = aten.sum.dim_IntList(self=y2, dim=[0], keepdim=False, dtype=None)
  return y1, y3
)",
                                   heads, channels, 64 * heads * channels, heads * channels, 3 * heads * channels));
    const ir::Target target = tests::hopper();
    const std::vector<LoopNest> whole =
        lowering::fuseLoops(lowering::analyze(lowering::lower(graph), target), graph.values.size(), target);
    REQUIRE(whole.size() == 1);
    return lowering::cutLoops(whole, target).size();
  };
  CHECK(stackedAndSummed(16, 72) == 3);
  CHECK(stackedAndSummed(12, 64) == 1);
}

TEST_CASE("what hides all tensors alike, as padding does, is no reason to leave them in one piece") {
  const std::vector<LoopNest> pieces =
      cut("  in tensors0 f32[64, 90] strides (1, 64)\n  in tensors1 f32[96, 90]\n"
          "  joined f32[160, 90] = aten.cat.default(tensors=[tensors0, tensors1], dim=0)\n"
          "  out0 f32[160, 96] = aten.constant_pad_nd.default(self=joined, pad=[0, 6, 0, 0], value=0)\n");
  REQUIRE(pieces.size() == 2);
  for (const LoopNest& piece : pieces) CHECK(piece.loops.buffers.size() == 2);
  CHECK(pieces[0].transposition);
  CHECK_FALSE(pieces[1].transposition);
}

TEST_CASE("outside of a slice nothing is read") {
  const std::vector<LoopNest> pieces =
      cut("  in grad_output f32[3, 10, 40]\n  out0 f32[3, 24, 40] = aten.slice_backward.default(grad_output=grad_output, "
          "input_sizes=[3, 24, 40], dim=1, start=6, end=16, step=1)\n");
  REQUIRE(pieces.size() == 3);
  CHECK(pieces[0].domain.loads().empty());
  CHECK(pieces[1].domain.loads().size() == 1);
  CHECK(pieces[2].domain.loads().empty());
}

TEST_CASE("pieces beyond the most join their neighbours") {
  CHECK(cut(catOf(40, "f32[2, 1, 64]", "f32[2, 40, 64]", 1)).size() == 20);
}

TEST_CASE("short pieces, and what several axes hide, stay whole") {
  CHECK(cut(catOf(2, "f16[50, 3]", "f16[50, 6]", 1)).size() == 1);
  const std::string channelsLast = "f16[2, 24, 9, 9] strides (1944, 1, 216, 24)";
  CHECK(cut(catOf(2, channelsLast, "f16[2, 48, 9, 9] strides (3888, 1, 432, 48)", 1)).size() == 1);
  CHECK(cut("  in self f16[2, 24, 40, 64]\n  out0 f16[2, 24, 42, 66] = aten.constant_pad_nd.default(self=self, "
            "pad=[1, 1, 1, 1], value=1)\n")
            .size() == 1);
}

TEST_CASE("parts of one tensor are independent, and what reads it waits for all of them") {
  const auto buffer = [](bool isRead, bool isPart) {
    return ir::Buffer{"x", ir::TensorType::contiguous(ir::DType::F32, {8}), 1, isRead, !isRead, isPart};
  };
  const lowering::DependenceGraph graph({{buffer(false, true)}, {buffer(false, true)}, {buffer(true, false)}});
  CHECK(graph.areIndependent(0, 1));
  CHECK_FALSE(graph.areIndependent(0, 2));
  CHECK_FALSE(graph.areIndependent(1, 2));
}

}  // namespace
