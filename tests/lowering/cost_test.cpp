// What loop nests take.
#include "lowering/analysis/cost.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "ir/text/text.h"
#include "tests/targets.h"

namespace {

lowering::Cost costOf(const char* loops) {
  const ir::Target target = tests::hopper();
  return lowering::costOf(lowering::analyzeJointly(lowering::analyze(std::vector{ir::parseLoops(loops)}, target), target),
                          target);
}

}  // namespace

TEST_SUITE("costs") {
  TEST_CASE("a tensor's distinct elements are moved once, however often loops read them") {
    const lowering::Cost cost = costOf(R"(loops example
  in  x0 f32[8]
  in  x1 f32[4, 8]
  out y0 f32[4, 8]
  for i0 in 4, i1 in 8
    y0[i0*8 + i1] = x1[i0*8 + i1] * x0[i1] + x0[i1]
)");
    CHECK(cost.bytes == 4 * (8 + 32 + 32));
    CHECK(cost.loads == 32 + 8);  // one is the same in all rows
    CHECK(cost.operations == 32 + 32);
  }

  TEST_CASE("no more is moved than is read") {
    const lowering::Cost cost = costOf(R"(loops example
  in  x0 f32[1000]
  out y0 f32[8]
  for i0 in 8
    y0[i0] = x0[i0*4]
)");
    CHECK(cost.bytes == 4 * (8 + 8));
  }

  TEST_CASE("functions that are computed again for every row cost as much as they take") {
    const auto rotated = [](const char* angle) {
      return costOf(fmt::format(R"(loops example
  in  x0 f32[32]
  in  x1 f32[16, 32]
  out y0 f32[16, 32]
  for i0 in 16, i1 in 32
    y0[i0*32 + i1] = x1[i0*32 + i1] * {}
)",
                                angle)
                        .c_str());
    };
    CHECK(rotated("(x0[i1] + x0[i1])").operations == 16 * 32 + 32);
    CHECK(rotated("exp(x0[i1])").operations == 16 * 32 + 16 * 32 * 16);
    CHECK(rotated("cos(x0[i1])").operations == 16 * 32 + 16 * 32 * 32);
    CHECK(rotated("cos(x1[i0*32 + i1])").operations == 2 * 16 * 32);  // once each
  }

  TEST_CASE("a reduction costs all its terms, at each point that computes it") {
    const lowering::Cost once = costOf(R"(loops example
  in  x0 f32[16, 128]
  out y0 f32[16]
  for i0 in 16 reduce i1 in 128
    y0[i0] = add[i1](x0[i0*128 + i1])
)");
    CHECK(once.operations == 16 * 128);
  }
  TEST_CASE("what is stored in the traversal that sums it is computed once; what needs the sum, once more") {
    const lowering::Cost once = costOf(R"(loops example
  in  x0 f32[16, 128]
  out y0 f32[16, 128]
  out y1 f32[128]
  for i0 in 16, i1 in 128 reduce i2 in 16
    y0[i0*128 + i1] = exp(x0[i0*128 + i1])
    y1[i1] = add[i2](exp(x0[i2*128 + i1]))
)");
    CHECK(once.loads == 16 * 128);
    CHECK(once.operations == 2 * 16 * 128);  // exp, and the sum's terms
    const lowering::Cost twice = costOf(R"(loops example
  in  x0 f32[16, 128]
  out y0 f32[16, 128]
  for i0 in 16, i1 in 128 reduce i2 in 128
    y0[i0*128 + i1] = exp(x0[i0*128 + i1]) * add[i2](exp(x0[i0*128 + i2]))
)");
    CHECK(twice.loads == 2 * 16 * 128);
    CHECK(twice.operations == (2 + 2) * 16 * 128);
  }
}
