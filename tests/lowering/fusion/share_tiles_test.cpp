// Sums that share the tiles of a transposition which reads the same.
#include "lowering/fusion/share_tiles.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "lowering/fusion/fuse_loops.h"
#include "lowering/tensor/lowering.h"
#include "tests/lowering/fusion/same_results.h"

namespace {

using lowering::LoopNest;

/// A device so small that small tensors are large for it.
ir::Target smallTarget() {
  ir::Target target = tests::hopper();
  target.processors = 2;
  return target;
}

/// A copy of a tensor whose channels lie apart, with these last, and the sum of each channel.
ir::Graph copyAndSum(int images, int pixels, int channels, const std::string& strides) {
  return ir::parseGraph(fmt::format(R"(graph
  in self f32[{0}, {1}, {2}] strides {3}
  out0 f32[{0}, {1}, {2}] = aten.clone.default(self=self, memory_format=torch.contiguous_format)
  out1 f32[{2}] = aten.sum.dim_IntList(self=out0, dim=[0, 1], keepdim=False, dtype=None)
  return out0, out1
)",
                                    images, pixels, channels, strides));
}

/// The nests of a graph that share tiles, compared with its loops as they are.
std::vector<LoopNest> shared(const ir::Graph& graph) {
  const ir::Target target = smallTarget();
  const std::vector<ir::Loops> whole = lowering::lower(graph);
  std::vector<LoopNest> nests = lowering::fuseLoops(lowering::analyze(whole, target), graph.values.size(), target);
  nests = lowering::shareTiles(std::move(nests), graph.values.size(), target);
  const tests::Values inputs = tests::integersFor({whole.front()});
  tests::Values expected = inputs;
  for (const ir::Loops& loops : whole) tests::run(loops, expected);
  std::erase_if(expected, [&](const auto& one) { return one.first >= static_cast<int>(graph.values.size()); });
  tests::requireSame(nests, target, inputs, expected);
  return nests;
}

TEST_CASE("a transposed copy leaves the sums of its tiles, which other loops add") {
  const std::vector<LoopNest> nests = shared(copyAndSum(8, 128, 80, "(10240, 1, 128)"));
  REQUIRE(nests.size() == 2);
  REQUIRE(nests[0].transposition);
  CHECK(nests[0].hasReductions());
  CHECK(nests[0].transposition->domain.inner().extent == 64);
  CHECK(nests[1].hasReductions());
  for (const lowering::Access& load : nests[1].domain.loads())
    CHECK(nests[1].loops.buffers[load.buffer].name.starts_with("partial"));
}

TEST_CASE("tiles of a whole short axis share it, too, with columns and rows that are no whole tiles") {
  for (const int pixels : {24, 40, 56}) {
    CAPTURE(pixels);
    const std::vector<LoopNest> nests = shared(copyAndSum(60, pixels, 100, fmt::format("({}, 1, {})", 100 * pixels, pixels)));
    REQUIRE(nests.size() == 2);
    CHECK(nests[0].hasReductions());
    CHECK(nests[0].transposition->domain.inner().extent == pixels);
  }
}

TEST_CASE("a sum is left by itself where it reads no transposed tensor, or a small one, or no tile divides its rows") {
  const auto shares = [](const ir::Graph& graph) {
    const std::vector<LoopNest> nests = shared(graph);
    return std::any_of(nests.begin(), nests.end(),
                       [](const LoopNest& nest) { return nest.transposition && nest.hasReductions(); });
  };
  CHECK(shares(copyAndSum(8, 128, 80, "(10240, 1, 128)")));
  CHECK_FALSE(shares(copyAndSum(8, 128, 80, "(10240, 80, 1)")));
  CHECK_FALSE(shares(copyAndSum(1, 32, 80, "(2560, 1, 32)")));
  CHECK_FALSE(shares(copyAndSum(8, 127, 80, "(10160, 1, 127)")));
}

}  // namespace
