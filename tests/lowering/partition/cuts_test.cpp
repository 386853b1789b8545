// Where calls can be cut in two.
#include "lowering/partition/cuts.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "ir/text/text.h"

namespace {

std::vector<lowering::Cut> cutsOf(const std::string& text, std::vector<int> calls) {
  const ir::Graph graph = ir::parseGraph(text);
  return lowering::cutsOf(graph, lowering::DataFlow(graph), calls);
}

using Calls = std::vector<int>;

/// A wide value, two calls on it, and a narrow one between these and the last.
const std::string funnel = R"(graph
  in x f32[64, 64]
  a f32[64, 64] = aten.exp.default(self=x)
  b f32[64, 64] = aten.neg.default(self=a)
  c f32[64, 1] = aten.sum.dim_IntList(self=b, dim=[1], keepdim=True, dtype=None)
  d f32[64, 1] = aten.neg.default(self=c)
  return d
)";

}  // namespace

TEST_SUITE("cuts") {
  TEST_CASE("the cheapest cut comes first: the one that fewest bytes cross") {
    const std::vector<lowering::Cut> cuts = cutsOf(funnel, {0, 1, 2, 3});
    REQUIRE(cuts.size() == 3);
    CHECK(cuts[0].first == Calls{0, 1, 2});
    CHECK(cuts[0].second == Calls{3});
    CHECK(cuts[1].first == Calls{0, 1});  // as many bytes as before b, and more even
  }

  TEST_CASE("no call of the first side waits for one of the second, and each is on one side") {
    const std::string text = R"(graph
  in x f32[8]
  in y f32[8]
  a f32[8] = aten.exp.default(self=x)
  b f32[8] = aten.exp.default(self=y)
  c f32[8] = aten.neg.default(self=a)
  d f32[8] = aten.neg.default(self=b)
  e f32[8] = aten.add.Tensor(self=c, other=d, alpha=1)
  return e
)";
    const ir::Graph graph = ir::parseGraph(text);
    const lowering::DataFlow flow(graph);
    bool areChainsApart = false;
    for (const lowering::Cut& cut : cutsOf(text, {0, 1, 2, 3, 4})) {
      CHECK(cut.first.size() + cut.second.size() == 5);
      for (const int call : cut.first)
        for (const lowering::Dependence& before : flow[call].after)
          CHECK(std::find(cut.first.begin(), cut.first.end(), before.node) != cut.first.end());
      areChainsApart = areChainsApart || cut.first == Calls{0, 2};
    }
    CHECK(areChainsApart);  // and not only what comes first in the text
  }

  TEST_CASE("a tensor that both sides read crosses the cut, too") {
    const std::vector<lowering::Cut> cuts = cutsOf(R"(graph
  in x f32[64]
  in y f32[4, 64]
  a f32[64] = aten.exp.default(self=x)
  b f32[64] = aten.add.Tensor(self=a, other=x, alpha=1)
  c f32[4, 64] = aten.add.Tensor(self=b, other=y, alpha=1)
  d f32[4, 64] = aten.mul.Tensor(self=c, other=y)
  return d
)",
                                                   {0, 1, 2, 3});
    CHECK(cuts.front().first == Calls{0, 1});
  }
}
