// Graphs in which equal calls are made once.
#include "lowering/graph/equal_calls.h"

#include <doctest/doctest.h>

#include "tests/lowering/rewritten.h"

namespace {

std::string withoutEqual(const std::string& text) {
  const auto isGenerated = [](const ir::Node& node) { return !node.op.starts_with("aten.mm"); };
  return tests::rewritten(text, [&](const ir::Graph& graph) { return lowering::withoutEqualCalls(graph, isGenerated); });
}

}  // namespace

TEST_SUITE("equal calls") {
  TEST_CASE("what an earlier call has computed is read there, through the same views") {
    CHECK(withoutEqual(R"(graph
  in        x f32[2, 4, 8]
  parameter u f16[8, 8]
  a f16[2, 4, 8] = aten.exp.default(self=x)
  b f16[8, 8] of a = aten.view.default(self=a, size=[8, 8])
  c f16[8, 8] = aten.mm.default(self=b, mat2=u)
  d f16[2, 4, 8] = aten.exp.default(self=x)
  e f16[8, 8] of d = aten.view.default(self=d, size=[8, 8])
  f f16[8, 8] strides (1, 8) of d = aten.t.default(self=e)
  g f16[8, 8] = aten.mm.default(self=f, mat2=e)
  return c, g
)") == R"(graph
  in        x f32[2, 4, 8]
  parameter u f16[8, 8]
  a f16[2, 4, 8] = aten.exp.default(self=x)
  b f16[8, 8] of a = aten.view.default(self=a, size=[8, 8])
  c f16[8, 8] = aten.mm.default(self=b, mat2=u)
  f f16[8, 8] strides (1, 8) of a = aten.t.default(self=b)
  g f16[8, 8] = aten.mm.default(self=f, mat2=b)
  return c, g
)");
  }

  TEST_CASE("equal calls stay in another phase, in a library, as outputs, and where their operands change meanwhile") {
    const auto stays = [](const std::string& text) { return withoutEqual(text) == text; };
    const std::string begin = "graph\n  in x f32[8, 8]\n  a f32[8, 8] = aten.exp.default(self=x)\n";
    CHECK(stays(begin + "  b f32[8, 8] = aten.exp.default(self=x) @backward 0\n"
                        "  c f32[8, 8] = aten.mm.default(self=a, mat2=b) @backward 0\n  return c\n"));
    CHECK(
        stays("graph\n  in x f32[8, 8]\n  a f32[8, 8] = aten.mm.default(self=x, mat2=x)\n"
              "  b f32[8, 8] = aten.mm.default(self=x, mat2=x)\n  c f32[8, 8] = aten.add.Tensor(self=a, other=b, alpha=1)\n"
              "  return c\n"));
    CHECK(stays(begin + "  b f32[8, 8] = aten.exp.default(self=x)\n  return a, b\n"));
    CHECK(stays(begin + "  x = aten.mul_.Tensor(self=x, other=2.0) writes x\n  b f32[8, 8] = aten.exp.default(self=x)\n"
                        "  c f32[8, 8] = aten.add.Tensor(self=a, other=b, alpha=1)\n  return c, x\n"));
  }
}
