// Lowering a graph: which loops come out, and what is refused.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "ir/error.h"
#include "ir/text/text.h"
#include "lowering/tensor/lowering.h"

namespace {

std::string refusal(const std::string& graph) {
  try {
    lowering::lower(ir::parseGraph(graph));
  } catch (const ir::Error& error) {
    return error.what();
  }
  return "not refused";
}

TEST_CASE("a chain of calls is one loop nest: fusion is composition") {
  const auto loops = lowering::lower(ir::parseGraph(R"(graph
  in self  f32[8]
  in other f32[8]
  product f32[8] = aten.mul.Tensor(self=self, other=other)
  out0 f32[8] = aten.relu.default(self=product)
  return out0
)"));
  REQUIRE(loops.size() == 1);
  CHECK(ir::toText(loops[0]).ends_with("    out0[i0] = max(self[i0] * other[i0], f32(0))\n"));
}

TEST_CASE("a chain of 24 doublings stays linear in size") {
  std::string text = "graph\n  in x0 f32[8]\n";
  for (int i = 0; i < 24; ++i) text += fmt::format("  x{1} f32[8] = aten.add.Tensor(self=x{0}, other=x{0}, alpha=1)\n", i, i + 1);
  const auto loops = lowering::lower(ir::parseGraph(text + "  return x24\n"));
  REQUIRE(loops.size() == 1);
  CHECK(loops[0].pool->size() < 40);
}

TEST_CASE("outputs over one domain share loops") {
  const auto loops = lowering::lower(ir::parseGraph(R"(graph
  in self f32[8]
  out0 f32[8] = aten.exp.default(self=self)
  out1 f32[8] = aten.neg.default(self=out0)
  return out0, out1
)"));
  REQUIRE(loops.size() == 1);
  CHECK(loops[0].stores.size() == 2);
}

TEST_CASE("an empty result needs no loops") {
  CHECK(lowering::lower(
            ir::parseGraph("graph\n  in self f32[0, 4]\n  out0 f32[0, 4] = aten.neg.default(self=self)\n  return out0\n"))
            .empty());
}

TEST_CASE("in-place forms follow from the functional ones") {
  CHECK(lowering::hasLowering("aten.add.Tensor"));
  CHECK(lowering::hasLowering("aten.add_.Tensor"));
  CHECK(lowering::hasLowering("aten.silu_.default"));
  CHECK_FALSE(lowering::hasLowering("aten.mm.default"));
  CHECK_FALSE(lowering::hasLowering("aten.round.decimals"));
}

TEST_CASE("what is refused, and how") {
  CHECK(refusal("graph\n  in self f32[4, 4]\n  out0 f32[4, 4] = aten.mm.default(self=self, mat2=self)\n  return out0\n") ==
        "aten.mm.default has no lowering");
  CHECK(refusal("graph\n  in self f16[4]\n  out0 f32[4] = aten.neg.default(self=self)\n  return out0\n") ==
        "the lowering of aten.neg.default yields f16[4], eager f32[4]");
  CHECK(refusal("graph\n  in self f32[4]\n  out0 f32[2] = aten.neg.default(self=self)\n  return out0\n") ==
        "the lowering of aten.neg.default yields f32[4], eager f32[2]");
  CHECK(refusal("graph\n  in self c64[4]\n  out0 c64[4] = aten.neg.default(self=self)\n  return out0\n") ==
        "aten.neg.default of complex tensors is not lowered");
  CHECK(
      refusal("graph\n  in self f32[4]\n  out0 f32[4] = aten.mul.Tensor(self=self, other=complex(0.0, 1.0))\n  return out0\n") ==
      "only real numbers and tensors are lowered");
}

}  // namespace
