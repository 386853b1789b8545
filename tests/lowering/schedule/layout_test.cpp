// A layout writes the index along each dim in mixed radix, and binds every digit to CTAs, threads or loops.
#include "lowering/schedule/placement.h"

#include <doctest/doctest.h>

#include <map>
#include <vector>

#include "ir/interpret/interpret.h"
#include "ir/text/text.h"
#include "ir/walk.h"
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
std::string text(const Guard& guard) { return guard.isAlways() ? "always" : ir::toText(guard.expr()); }

/// What integer expressions come to where every axis has a value, by its number.
std::vector<int64_t> valuesOf(const LoopNest& nest, const std::vector<Value>& values,
                              const std::map<const ir::Expr*, int64_t>& axes) {
  ir::ExprPool& pool = *nest.loops.pool;
  ir::Loops loops{"values", nest.loops.pool, {}, {}, {}};
  std::vector<ir::Memory> memory;
  for (const Value& value : values) {
    const ir::Expr* at = ir::rewrite(pool, value.expr(), [&](const ir::Expr* node) -> const ir::Expr* {
      return node->op == ir::Op::Axis ? pool.integer(ir::DType::I64, axes.at(node)) : nullptr;
    });
    loops.stores.push_back({static_cast<int>(memory.size()), pool.integer(ir::DType::I64, 0), at});
    loops.buffers.push_back({"out", ir::TensorType::contiguous(ir::DType::I64, {1}), -1, false, true});
    memory.push_back(ir::Memory::zeros(ir::DType::I64, 1));
  }
  ir::interpret(loops, memory);
  std::vector<int64_t> found;
  for (const ir::Memory& one : memory) found.push_back(std::get<std::vector<int64_t>>(one.data).front());
  return found;
}

}  // namespace

TEST_CASE("every index is the number that its digits make, the outermost first, wherever they are bound") {
  const LoopNest nest = sumOfRows("24", "320");
  Layout layout;
  layout.dims = {{0, 1, 24}, {1, 2, 320}};
  layout.laneDim = 1;
  layout.parts = {{0, Bind::Grid, 3},   {1, Bind::Grid, 2},     {0, Bind::Thread, 4}, {1, Bind::Serial, 5},
                  {1, Bind::Thread, 8}, {0, Bind::Unrolled, 2}, {1, Bind::Cluster, 4}};
  const Placement at(*nest.loops.pool, nest.domain, layout);
  REQUIRE(at.launch().grid == 3 * 2);
  REQUIRE(at.launch().cluster == 4);
  REQUIRE(at.launch().block == 4 * 8);
  const ir::Expr *serial = at.step(1).expr(), *unrolled = at.step(0).expr();
  for (int64_t i0 = 0; i0 < 24; ++i0)
    for (int64_t i1 = 0; i1 < 320; ++i1) {
      // Dim 0 is written in the base 3, 4, 2; dim 1 in the base 2, 5, 8, 4.
      const int64_t rowGrid = i0 / 8, rowThread = i0 / 2 % 4, rowLoop = i0 % 2;
      const int64_t grid = i1 / 160, loop = i1 / 32 % 5, thread = i1 / 4 % 8, rank = i1 % 4;
      const std::vector<int64_t> found = valuesOf(nest, {at.index(0), at.index(1)},
                                                  {{at.grid().expr(), rowGrid * 2 + grid},
                                                   {at.rank().expr(), rank},
                                                   {at.thread().expr(), rowThread * 8 + thread},
                                                   {serial, loop},
                                                   {unrolled, rowLoop}});
      if (found != std::vector<int64_t>{i0, i1}) FAIL_CHECK("[", i0, ", ", i1, "] is [", found[0], ", ", found[1], "]");
    }
}

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

TEST_CASE("on a CPU tasks count rows and tiles, and a column of a tile is given instead of counted") {
  const LoopNest nest = sumOfRows("64", "4096");
  Layout layout;
  layout.dims = {{0, 1, 64}, {1, 2, 256, 16}};
  layout.laneDim = 1;
  layout.parts = {{0, Bind::Grid, 16}, {1, Bind::Grid, 4, 64}, {0, Bind::Serial, 4}};
  const Placement at(*nest.loops.pool, nest.domain, layout);
  CHECK(text(at.block(1)) == text(mod(at.grid(), 4)));
  CHECK(text(at.blockStart(1)) == text(mod(at.grid(), 4) * 1024));
  CHECK(text(at.index(0)) == text(floorDiv(at.grid(), 4) * 4 + at.step(0)));

  const LanePlace vector = at.at(1, at.blockStart(1) + 32).vector();
  CHECK(ir::toText(vector.base[0]) == text(at.index(0)));
  CHECK(ir::toText(vector.base[1]) == text(at.blockStart(1) + 32));
  const ir::Block rows = at.loops(0, Bind::Serial, {{ir::Lanes{vector.lane, nullptr, {}, nullptr}}});
  REQUIRE(rows.size() == 1);
  CHECK(std::get<ir::For>(rows.front().node).kind == ir::LoopKind::Serial);
  CHECK(at.loops(1, Bind::Serial, {}).empty());
}
