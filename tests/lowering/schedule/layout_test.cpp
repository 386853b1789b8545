// A layout writes the index along each dim in mixed radix, and binds every digit to CTAs, threads or loops.
#include "lowering/schedule/placement.h"

#include <doctest/doctest.h>

#include "ir/text/text.h"
#include "lowering/analysis/loop_nest.h"
#include "lowering/tensor/lowering.h"
#include "tests/targets.h"

using namespace lowering;

namespace {

/// The nest of `sum(self, dim=1)` of a matrix.
LoopNest sumOfRows(const std::string& rows, const std::string& elements) {
  const std::string text = "graph\n  in self f32[" + rows + ", " + elements + "]\n  out0 f32[" + rows +
                           "] = aten.sum.dim_IntList(self=self, dim=[1], keepdim=False, dtype=None)\n  return out0\n";
  return analyze(lower(ir::parseGraph(text)).front(), tests::hopper());
}

std::string text(const Value& value) { return ir::toText(value.expr()); }
std::string text(const Condition& condition) { return condition ? text(*condition) : "always"; }

}  // namespace

TEST_CASE("digits of a dim: the grid's, a loop's, the threads'; lanes are counted as vectors") {
  const LoopNest nest = sumOfRows("64", "4096");
  Layout layout;
  layout.dims = {{0, 1, 64}, {1, 2, 1024, 4}};
  layout.laneDim = 1;
  layout.parts = {{0, Bind::Grid, 64}, {1, Bind::Unrolled, 8}, {1, Bind::Thread, 128}};
  const Placement at(*nest.loops.pool, nest.domain, layout);
  const ir::Launch launch = at.launch();
  CHECK(launch.grid == 64);
  CHECK(launch.cluster == 1);
  CHECK(launch.block == 128);
  CHECK(text(at.index(0)) == text(at.grid()));
  CHECK(text(at.isInside(0)) == "always");
  CHECK(text(at.isInside(1)) == "always");
  CHECK(at.layout().steps(1) == 8);
  // The position in the matrix: the row, and the first element of the vector.
  const LanePlace vector = at.vector();
  REQUIRE(vector.base.size() == 2);
  CHECK(ir::toText(vector.base[0]) == text(at.grid()));
  CHECK(ir::toText(vector.base[1]) == text(at.index(1) * 4));
}

TEST_CASE("an index that counts past its dim has a guard") {
  const LoopNest nest = sumOfRows("100", "1000");
  Layout layout;
  layout.dims = {{0, 1, 100}, {1, 2, 1000}};
  layout.laneDim = 1;
  layout.parts = {{0, Bind::Grid, 13}, {0, Bind::Thread, 8, 0, 32}, {1, Bind::Serial, 32}, {1, Bind::Thread, 32}};
  const Placement at(*nest.loops.pool, nest.domain, layout);
  CHECK(at.launch().block == 256);
  CHECK(text(at.isInside(0)) == text(at.index(0) < 100));
  CHECK(text(at.isInside(1)) == text(at.index(1) < 1000));
  CHECK(text(at.inGroup()) == text(mod(at.thread(), 32)));
}

TEST_CASE("some threads of a group, and the last ones of a CTA, may be idle") {
  const LoopNest nest = sumOfRows("4", "30");
  Layout layout;
  layout.dims = {{0, 1, 4}, {1, 2, 30}};
  layout.laneDim = 1;
  layout.parts = {{0, Bind::Thread, 4, 0, 32}, {1, Bind::Thread, 30}};
  const Placement grouped(*nest.loops.pool, nest.domain, layout);
  CHECK(text(grouped.isBusy()) == text(grouped.inGroup() < 30));
  CHECK(text(grouped.hasGroup()) == "always");

  layout.block = 160;
  const Placement padded(*nest.loops.pool, nest.domain, layout);
  CHECK(padded.launch().block == 160);
  CHECK(text(padded.hasGroup()) == text(floorDiv(padded.thread(), 32) < 4));
}

TEST_CASE("a block of a dim is counted by a CTA, and the parts inside it may count past its end") {
  const LoopNest nest = sumOfRows("4", "100");
  Layout layout;
  layout.dims = {{0, 1, 4}, {1, 2, 100}};
  layout.laneDim = 1;
  layout.parts = {{0, Bind::Grid, 4}, {1, Bind::Cluster, 3, 34}, {1, Bind::Serial, 2}, {1, Bind::Thread, 32}};
  const Placement at(*nest.loops.pool, nest.domain, layout);
  CHECK(at.layout().covered(1) == 64);
  CHECK(text(at.blockStart(1)) == text(at.rank() * 34));
  CHECK(text(at.isInside(1)) == text((at.inBlock(1) < 34) & (at.index(1) < 100)));
  CHECK(at.layout().steps(1) == 2);
}
