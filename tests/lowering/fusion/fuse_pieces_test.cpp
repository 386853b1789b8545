// Pieces of loops that were cut where they read another tensor: which become one again, and that they then compute the same.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>

#include "lowering/fusion/cut_loops.h"
#include "lowering/fusion/fuse_loops.h"
#include "lowering/tensor/lowering.h"
#include "tests/lowering/fusion/same_results.h"

namespace {

using lowering::LoopNest;

std::vector<LoopNest> fused(const ir::Graph& graph, const ir::Target& target) {
  const std::size_t first = graph.values.size();
  std::vector<LoopNest> all = lowering::fuseLoops(lowering::analyze(lowering::lower(graph), target), first, target);
  return lowering::fusePieces(lowering::cutLoops(std::move(all), target), first, target);
}

/// The loops of a graph after pieces were fused, on a GPU; compared with the graph's, as they are and as kernels, for every
/// target. Values are compared to the bit: the graphs have no sums.
std::vector<LoopNest> checkFused(const std::string& text) {
  const ir::Graph graph = ir::parseGraph("graph\n" + text);
  const std::vector<ir::Loops> whole = lowering::lower(graph);
  tests::Values inputs;
  for (const ir::Loops& loops : whole) {
    const std::vector<ir::Memory> memory = tests::randomMemory(loops, 7);
    for (std::size_t b = 0; b < memory.size(); ++b)
      if (loops.buffers[b].value < static_cast<int>(graph.values.size())) inputs.try_emplace(loops.buffers[b].value, memory[b]);
  }
  tests::Values expected = inputs;
  for (const ir::Loops& loops : whole) tests::run(loops, expected);
  std::erase_if(expected, [&](const auto& one) { return std::ranges::count(graph.outputs, one.first) == 0; });
  REQUIRE(expected.size() == graph.outputs.size());
  for (const ir::Target& target : tests::targets()) tests::requireSame(fused(graph, target), target, inputs, expected);
  return fused(graph, tests::hopper());
}

/// Rows that are scaled, each by its largest element, and then turned as by a rotary embedding: `turned` of `scaled`.
std::string turnedRows(int rows, int columns) {
  return fmt::format(R"(
  in x   f32[{0}, {1}]
  in cos f32[{1}]
  in sin f32[{1}]
  most f32[{0}, 1] = aten.amax.default(self=x, dim=[-1], keepdim=True)
  scaled f32[{0}, {1}] = aten.sub.Tensor(self=x, other=most, alpha=1)
  right f32[{0}, {2}] strides ({1}, 1) of scaled + {2} = aten.slice.Tensor(self=scaled, dim=1, start={2}, end={1}, step=1)
  left f32[{0}, {2}] strides ({1}, 1) of scaled = aten.slice.Tensor(self=scaled, dim=1, start=0, end={2}, step=1)
  negated f32[{0}, {2}] = aten.neg.default(self=right)
  other f32[{0}, {1}] = aten.cat.default(tensors=[negated, left], dim=-1)
  straight f32[{0}, {1}] = aten.mul.Tensor(self=scaled, other=cos)
  across f32[{0}, {1}] = aten.mul.Tensor(self=other, other=sin)
  turned f32[{0}, {1}] = aten.add.Tensor(self=straight, other=across, alpha=1)
)",
                     rows, columns, columns / 2);
}

}  // namespace

TEST_CASE("parts of a cat that read the same are one nest, which reads it once and stores twice") {
  const std::vector<LoopNest> nests = checkFused(R"(
  in x f32[6, 64]
  in y f32[6, 64]
  in z f32[6, 64]
  one f32[6, 64] = aten.mul.Tensor(self=x, other=y)
  two f32[6, 64] = aten.mul.Tensor(self=x, other=z)
  both f32[6, 128] = aten.cat.default(tensors=[one, two], dim=1)
  return both
)");
  REQUIRE(nests.size() == 1);
  CHECK(nests[0].loops.stores.size() == 2);
  CHECK(nests[0].domain.loads().size() == 3);
}

TEST_CASE("parts of a cat that read nothing in common stay pieces") {
  const std::vector<LoopNest> nests = checkFused(R"(
  in x f32[6, 64]
  in y f32[6, 64]
  both f32[6, 128] = aten.cat.default(tensors=[x, y], dim=1)
  return both
)");
  CHECK(nests.size() == 2);
}

TEST_CASE("a rotary embedding of rows that are reduced is one nest of half a row: each half is read once") {
  const std::vector<LoopNest> nests = checkFused(turnedRows(6, 128) + "  return turned\n");
  REQUIRE(nests.size() == 1);
  REQUIRE(nests[0].reduction);
  CHECK(nests[0].domain.numel(nests[0].domain.elementDims(), nests[0].domain.dims().size()) == 64);
  CHECK(nests[0].loops.stores.size() == 2);
}

TEST_CASE("it is so too where rows are stored at an index that memory has, as in a cache") {
  const std::vector<LoopNest> nests = checkFused("  in cache f32[9, 6, 128]\n  in index i64[1]\n" + turnedRows(6, 128) +
                                                 R"(
  rows f32[1, 6, 128] of turned = aten.unsqueeze.default(self=turned, dim=0)
  cache = aten.index_copy_.default(self=cache, dim=0, index=index, source=rows) writes cache
  return cache
)");
  REQUIRE(nests.size() == 1);
  CHECK(nests[0].reduction);
}

TEST_CASE("rows that are reduced do not store what is transposed: it is a piece that goes by tiles") {
  const std::vector<LoopNest> nests = checkFused(R"(
  in x f32[64, 90]
  most f32[64, 1] = aten.amax.default(self=x, dim=[-1], keepdim=True)
  scaled f32[64, 90] = aten.sub.Tensor(self=x, other=most, alpha=1)
  turned f32[90, 64] strides (1, 90) of scaled = aten.permute.default(self=scaled, dims=[1, 0])
  padded f32[96, 64] = aten.constant_pad_nd.default(self=turned, pad=[0, 0, 0, 6], value=0)
  return scaled, padded
)");
  for (const LoopNest& nest : nests) {
    if (nest.reduction) CHECK_FALSE(nest.isPiece());
  }
  CHECK(std::ranges::count_if(nests, [](const LoopNest& nest) { return nest.transposition.has_value(); }) == 1);
}
