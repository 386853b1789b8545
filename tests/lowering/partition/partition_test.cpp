// Cutting a captured graph into regions.
#include "lowering/partition/partition.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "ir/text/text.h"

namespace {

/// The regions of a graph where calls are generated but for products of matrices, each as its text.
std::vector<std::string> regionsOf(const std::string& text, size_t most = lowering::mostCalls) {
  const auto isGenerated = [](const ir::Graph&, const ir::Node& node) { return !node.op.starts_with("aten.mm."); };
  std::vector<std::string> regions;
  const ir::Graph graph = ir::parseGraph(text);
  std::vector<lowering::Group> groups = lowering::partition(graph, lowering::DataFlow(graph), isGenerated, {most});
  std::erase_if(groups, [](const lowering::Group& group) { return !group.isGenerated; });
  std::sort(groups.begin(), groups.end(), [](const auto& a, const auto& b) { return a.nodes < b.nodes; });
  for (const lowering::Group& group : groups) {
    regions.push_back(ir::toText(group.graph));
    CHECK(ir::toText(ir::parseGraph(regions.back())) == regions.back());
  }
  return regions;
}

using Regions = std::vector<std::string>;

}  // namespace

TEST_SUITE("regions") {
  TEST_CASE(
      "a library call cuts a graph, and the equal chains on both sides are equal regions, without names, roles and scopes") {
    const std::string chain = R"(graph
  in x0 f32[4, 4]
  y0 f32[4, 4] = aten.exp.default(self=x0)
  y1 f32[4, 4] = aten.neg.default(self=y0)
  return y1
)";
    CHECK(regionsOf(R"(graph
  parameter weight f32[4, 4]
  a f32[4, 4] = aten.exp.default(self=weight) module "first"
  b f32[4, 4] = aten.neg.default(self=a)
  product f32[4, 4] = aten.mm.default(self=b, mat2=b)
  c f32[4, 4] = aten.exp.default(self=product) @backward 0
  d f32[4, 4] = aten.neg.default(self=c)
  return d
)") == Regions{chain, chain});
  }

  TEST_CASE("calls are not joined round a library call that comes between them") {
    // The sum needs the product, which needs the exponential: one region of both would need what needs it.
    CHECK(regionsOf(R"(graph
  in x f32[4, 4]
  a f32[4, 4] = aten.exp.default(self=x)
  product f32[4, 4] = aten.mm.default(self=a, mat2=x)
  b f32[4, 4] = aten.add.Tensor(self=a, other=product)
  return b
)") == Regions{R"(graph
  in x0 f32[4, 4]
  y0 f32[4, 4] = aten.exp.default(self=x0)
  return y0
)",
               R"(graph
  in x0 f32[4, 4]
  in x1 f32[4, 4]
  y0 f32[4, 4] = aten.add.Tensor(self=x0, other=x1)
  return y0
)"});
  }

  TEST_CASE("nor are two regions that would then need each other") {
    // {a, d} and {c, b} are each without a way round, but a -> c is not enough: a feeds b's group and c feeds d's.
    const Regions regions = regionsOf(R"(graph
  in x f32[4, 4]
  in y f32[4, 4]
  a f32[4, 4] = aten.exp.default(self=x)
  c f32[4, 4] = aten.neg.default(self=y)
  p f32[4, 4] = aten.mm.default(self=a, mat2=a)
  q f32[4, 4] = aten.mm.default(self=c, mat2=c)
  d f32[4, 4] = aten.add.Tensor(self=a, other=q)
  b f32[4, 4] = aten.mul.Tensor(self=c, other=p)
  return d, b
)");
    // a and d are one; with c and b beside it, they would need each other.
    REQUIRE(regions.size() == 3);
    CHECK(regions[0].find("aten.exp.default") != std::string::npos);
    CHECK(regions[0].find("aten.add.Tensor") != std::string::npos);
  }

  TEST_CASE(
      "a view of what is read from outside is an input with its strides; one of what is made inside is part of the region") {
    CHECK(regionsOf(R"(graph
  in x f32[2, 3]
  t f32[3, 2] strides (1, 3) of x = aten.t.default(self=x)
  a f32[3, 2] strides (1, 3) = aten.exp.default(self=t)
  u f32[2, 3] of a = aten.t.default(self=a)
  b f32[2, 3] = aten.neg.default(self=u)
  return b
)") == Regions{R"(graph
  in x0 f32[3, 2] strides (1, 3)
  y0 f32[3, 2] strides (1, 3) = aten.exp.default(self=x0)
  y1 f32[2, 3] of y0 = aten.t.default(self=y0)
  y2 f32[2, 3] = aten.neg.default(self=y1)
  return y2
)"});
  }

  TEST_CASE("what others read through a view is handed back as the value that lies there, and the view stays outside") {
    CHECK(regionsOf(R"(graph
  in x f32[2, 3]
  a f32[2, 3] = aten.exp.default(self=x)
  t f32[3, 2] strides (1, 3) of a = aten.t.default(self=a)
  product f32[3, 3] = aten.mm.default(self=t, mat2=x)
  return product
)") == Regions{R"(graph
  in x0 f32[2, 3]
  y0 f32[2, 3] = aten.exp.default(self=x0)
  return y0
)"});
  }

  TEST_CASE("an input of the graph that is written in place is handed back, whoever reads it") {
    CHECK(regionsOf(R"(graph
  state x f32[4]
  in y f32[4]
  x = aten.mul_.Scalar(self=x, other=2) writes x
  x = aten.add_.Tensor(self=x, other=y, alpha=1) writes x
  z f32[4] = aten.exp.default(self=y)
  return z
)") == Regions{R"(graph
  in x0 f32[4]
  in x1 f32[4]
  x0 = aten.mul_.Scalar(self=x0, other=2) writes x0
  x0 = aten.add_.Tensor(self=x0, other=x1, alpha=1) writes x0
  return x0
)",
               R"(graph
  in x0 f32[4]
  y0 f32[4] = aten.exp.default(self=x0)
  return y0
)"});
  }

  TEST_CASE("what is written in place and read by nobody else is not handed back") {
    CHECK(regionsOf(R"(graph
  in x f32[4, 4]
  scores f32[4, 4] = aten.mm.default(self=x, mat2=x)
  scores = aten.div_.Scalar(self=scores, other=2) writes scores
  y f32[4, 4] = aten.exp.default(self=scores)
  return y
)") == Regions{R"(graph
  in x0 f32[4, 4]
  x0 = aten.div_.Scalar(self=x0, other=2) writes x0
  y0 f32[4, 4] = aten.exp.default(self=x0)
  return y0
)"});
  }

  TEST_CASE("a call that writes memory which has another name by then is a cut") {
    CHECK(regionsOf(R"(graph
  in x f32[4]
  a f32[4] = aten.exp.default(self=x)
  v f32[2, 2] of a = aten.view.default(self=a, size=[2, 2])
  a = aten.mul_.Scalar(self=a, other=2) writes a
  b f32[2, 2] = aten.neg.default(self=v)
  return b
)") == Regions{R"(graph
  in x0 f32[4]
  y0 f32[4] = aten.exp.default(self=x0)
  return y0
)",
               R"(graph
  in x0 f32[2, 2]
  y0 f32[2, 2] = aten.neg.default(self=x0)
  return y0
)"});
  }

  TEST_CASE("a region has no more calls than it may, and what nobody reads is none") {
    std::string text = "graph\n  in x0 f32[4]\n";
    for (int i = 0; i < 7; ++i) text += fmt::format("  x{} f32[4] = aten.exp.default(self=x{})\n", i + 1, i);
    text += "  unread f32[4] = aten.neg.default(self=x0)\n  return x7\n";
    const Regions regions = regionsOf(text, 3);
    REQUIRE(regions.size() == 3);
    CHECK(regions[0] == regions[1]);
    CHECK(std::count(regions[0].begin(), regions[0].end(), '=') == 6);
    CHECK(std::count(regions[2].begin(), regions[2].end(), '=') == 2);
  }
}
