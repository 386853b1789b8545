// Calls of lists of tensors as calls of each.
#include "lowering/graph/lists.h"

#include <doctest/doctest.h>

#include "ir/text/text.h"

namespace {

std::string apart(const std::string& text) { return ir::toText(ir::numbered(lowering::withoutLists(ir::parseGraph(text)))); }

}  // namespace

TEST_SUITE("lists of tensors") {
  TEST_CASE("a call that writes a list is a call of each, under the names that one tensor's operator has") {
    CHECK(apart(R"(graph
  parameter w f32[4]
  parameter v f32[8, 2]
  in        g f32[4]
  in        h f32[8, 2]
  w, v = aten._foreach_mul_.Scalar(self=[w, v], scalar=0.5) writes w, v
  w, v = aten._foreach_add_.List(self=[w, v], other=[g, h], alpha=-0.1) writes w, v
  w, v = aten._foreach_lerp_.Scalar(self=[w, v], tensors1=[g, h], weight=0.25) writes w, v
  return w, v
)") == R"(graph
  parameter w f32[4]
  parameter v f32[8, 2]
  in        g f32[4]
  in        h f32[8, 2]
  w = aten.mul_.Scalar(self=w, other=0.5) writes w
  v = aten.mul_.Scalar(self=v, other=0.5) writes v
  w = aten.add_.Tensor(self=w, other=g, alpha=-0.1) writes w
  v = aten.add_.Tensor(self=v, other=h, alpha=-0.1) writes v
  w = aten.lerp_.Scalar(self=w, end=g, weight=0.25) writes w
  v = aten.lerp_.Scalar(self=v, end=h, weight=0.25) writes v
  return w, v
)");
  }

  TEST_CASE("a call that makes a list makes each, and a number stays one") {
    CHECK(apart(R"(graph
  in s f32[]
  in t f32[]
  a f32[], b f32[] = aten._foreach_pow.ScalarAndTensor(self=0.9, exponent=[s, t])
  a, b = aten._foreach_sub_.Scalar(self=[a, b], scalar=1) writes a, b
  c f32[], d f32[] = aten._foreach_clone.default(self=[a, b], memory_format=None)
  a, b = aten._foreach_copy_.default(self=[a, b], src=[s, t], non_blocking=False) writes a, b
  return a, b, c, d
)") == R"(graph
  in s f32[]
  in t f32[]
  a f32[] = aten.pow.Scalar(self=0.9, exponent=s)
  b f32[] = aten.pow.Scalar(self=0.9, exponent=t)
  a = aten.sub_.Scalar(self=a, other=1, alpha=1) writes a
  b = aten.sub_.Scalar(self=b, other=1, alpha=1) writes b
  c f32[] = aten.clone.default(self=a, memory_format=None)
  d f32[] = aten.clone.default(self=b, memory_format=None)
  a = aten.copy_.default(self=a, src=s, non_blocking=False) writes a
  b = aten.copy_.default(self=b, src=t, non_blocking=False) writes b
  return a, b, c, d
)");
  }

  TEST_CASE("what has no form for one tensor stays as it is, and calls after a list know their forward calls") {
    const ir::Graph graph = lowering::withoutLists(ir::parseGraph(R"(graph
  in x f32[4]
  in y f32[4]
  in found f32[]
  in scale f32[]
  a f32[4], b f32[4] = aten._foreach_exp.default(self=[x, y])
  c f32[4] = aten.neg.default(self=b)
  d f32[4] = aten.neg.default(self=c) @backward 1
  d, found = aten._amp_foreach_non_finite_check_and_unscale_.default(self=[d], found_inf=found, inv_scale=scale) writes d, found
  return a, d
)"));
    REQUIRE(graph.nodes.size() == 5);
    CHECK(graph.nodes[1].op == "aten.exp.default");
    CHECK(graph.nodes[3].scope.forward == 2);
    CHECK(graph.nodes[4].op.starts_with("aten._amp_foreach"));
  }
}
