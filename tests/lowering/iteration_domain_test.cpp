// The order in which loops run through memory.
#include "lowering/analysis/iteration_domain.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "ir/text/text.h"
#include "lowering/analysis/loop_nest.h"
#include "lowering/schedule/vectorize.h"
#include "tests/targets.h"

namespace {

using Extents = std::vector<int64_t>;

lowering::LoopNest nestOf(const std::string& lines) {
  return lowering::analyze(ir::parseLoops("loops f\n" + lines), tests::hopper());
}

/// The extents of the dims, slowest first: those of what is kept, then those of what is reduced.
Extents extentsOf(const lowering::IterationDomain& domain) {
  Extents extents;
  for (const lowering::Dim& dim : domain.dims()) extents.push_back(dim.extent);
  return extents;
}

}  // namespace

TEST_CASE("columns lie side by side, though each has several results") {
  const lowering::LoopNest nest = nestOf(
      "  in  x f32[3, 64]\n"
      "  out y f32[64, 2]\n"
      "  for i0 in 64, i1 in 2 reduce i2 in 3\n"
      "    y[i0*2 + i1] = add[i2](where(i1 == 0, x[i2*64 + i0], f32(1)))\n");
  CHECK_FALSE(nest.domain.runsAlongElements());
  CHECK(extentsOf(nest.domain) == Extents{2, 64, 3});
}

TEST_CASE("what is gathered from far apart does not say which way to run") {
  const lowering::LoopNest nest = nestOf(
      "  in  k i64[64]\n"
      "  in  x f32[3, 1000]\n"
      "  in  w f32[3, 64]\n"
      "  out y f32[64]\n"
      "  for i0 in 64 reduce i1 in 3\n"
      "    y[i0] = add[i1](x[i1*1000 + k[i0]] * w[i1*64 + i0] + x[i1*1000 + k[i0] + 1])\n");
  CHECK_FALSE(nest.domain.runsAlongElements());
}

TEST_CASE("what names a place is read in vectors, as values are") {
  const lowering::LoopNest nest = nestOf(
      "  in  k i64[6, 64]\n"
      "  in  x f32[1000]\n"
      "  out y f32[6, 64]\n"
      "  for i0 in 6, i1 in 64\n"
      "    y[i0*64 + i1] = x[k[i0*64 + i1]]\n");
  REQUIRE(extentsOf(nest.domain) == Extents{384});
  ir::ExprPool& pool = *nest.loops.pool;
  const ir::Expr* lane = pool.axis(4);
  const ir::Expr* zero = pool.integer(ir::DType::I64, 0);
  const lowering::LanePlace place{lane, {zero}, {lane}, zero, 0, false, 1};
  const ir::Lanes lanes = lowering::vectorize(nest.loops, nest.domain, place, nullptr);
  const ir::Expr* gathered = lanes.stores.front().value;
  REQUIRE(gathered->op == ir::Op::Load);
  REQUIRE(gathered->src[0]->op == ir::Op::Load);
  CHECK(gathered->src[0]->load().mode == ir::LoadMode::Contiguous);
}
