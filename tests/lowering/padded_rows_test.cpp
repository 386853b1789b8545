// Graphs whose matrices get gaps behind their rows where products want them.
#include "lowering/graph/padded_rows.h"

#include <doctest/doctest.h>

#include "tests/lowering/rewritten.h"

namespace {

std::string padded(const std::string& text, double least = 0) {
  const auto isGenerated = [](const ir::Node& node) { return !node.op.starts_with("aten.topk"); };
  return tests::rewritten(text, [&](const ir::Graph& graph) { return lowering::withPaddedRows(graph, isGenerated, least); });
}

}  // namespace

TEST_SUITE("padded rows") {
  TEST_CASE("what products and generated calls alone touch has rows of whole lines, and its views with it") {
    CHECK(padded(R"(graph
  in x f16[512, 768]
  parameter w f16[768, 5001]
  p f16[512, 5001] = aten.mm.default(self=x, mat2=w)
  v f16[2, 256, 5001] of p = aten.view.default(self=p, size=[2, 256, 5001])
  e f16[2, 256, 5001] = aten.exp.default(self=v)
  f f16[512, 5001] of e = aten.view.default(self=e, size=[512, 5001])
  t f16[5001, 512] strides (1, 5001) of e = aten.t.default(self=f)
  d f16[5001, 768] = aten.mm.default(self=t, mat2=x)
  return d
)") == R"(graph
  in        x f16[512, 768]
  parameter w f16[768, 5001]
  w_copy f16[768, 5001] strides (5056, 1) = aten.clone.default(self=w, memory_format=None)
  p f16[512, 5001] strides (5056, 1) = aten.mm.default(self=x, mat2=w_copy)
  v f16[2, 256, 5001] strides (1294336, 5056, 1) of p = aten.view.default(self=p, size=[2, 256, 5001])
  e f16[2, 256, 5001] strides (1294336, 5056, 1) = aten.exp.default(self=v)
  f f16[512, 5001] strides (5056, 1) of e = aten.view.default(self=e, size=[512, 5001])
  t f16[5001, 512] strides (1, 5056) of e = aten.t.default(self=f)
  d f16[5001, 768] = aten.mm.default(self=t, mat2=x)
  return d
)");
  }

  TEST_CASE("an input is copied once for all products, and an output is copied out of its product's") {
    CHECK(padded(R"(graph
  in gradient f16[2, 512, 5001]
  in x f16[1024, 768]
  in w f16[5001, 768]
  a f16[1024, 5001] of gradient = aten.view.default(self=gradient, size=[1024, 5001])
  b f16[5001, 1024] strides (1, 5001) of gradient = aten.t.default(self=a)
  c f16[5001, 768] = aten.mm.default(self=b, mat2=x)
  d f16[1024, 768] = aten.mm.default(self=a, mat2=w)
  t f16[768, 5001] strides (1, 768) of w = aten.t.default(self=w)
  e f16[1024, 5001] = aten.mm.default(self=x, mat2=t) @backward 2
  return c, d, e
)") == R"(graph
  in gradient f16[2, 512, 5001]
  in x        f16[1024, 768]
  in w        f16[5001, 768]
  a f16[1024, 5001] of gradient = aten.view.default(self=gradient, size=[1024, 5001])
  b f16[5001, 1024] strides (1, 5001) of gradient = aten.t.default(self=a)
  gradient_copy f16[2, 512, 5001] strides (2588672, 5056, 1) = aten.clone.default(self=gradient, memory_format=None)
  a_copy f16[1024, 5001] strides (5056, 1) of gradient_copy = aten.view.default(self=gradient_copy, size=[1024, 5001])
  b_copy f16[5001, 1024] strides (1, 5056) of gradient_copy = aten.t.default(self=a_copy)
  c f16[5001, 768] = aten.mm.default(self=b_copy, mat2=x)
  d f16[1024, 768] = aten.mm.default(self=a_copy, mat2=w)
  t f16[768, 5001] strides (1, 768) of w = aten.t.default(self=w)
  e_copy f16[1024, 5001] strides (5056, 1) = aten.mm.default(self=x, mat2=t) @backward 5
  e f16[1024, 5001] = aten.clone.default(self=e_copy, memory_format=None) @backward 5
  return c, d, e
)");
  }

  TEST_CASE("a bias is added behind a product whose rows have gaps, by the call that copies them out") {
    CHECK(padded(R"(graph
  in bias f16[5001]
  in x    f16[1024, 768]
  in w    f16[768, 5001]
  e f16[1024, 5001] = aten.addmm.default(self=bias, mat1=x, mat2=w, beta=1, alpha=1)
  d f16[1024, 5001] = aten.neg.default(self=e) @backward 0
  return e, d
)") == R"(graph
  in bias f16[5001]
  in x    f16[1024, 768]
  in w    f16[768, 5001]
  w_copy f16[768, 5001] strides (5056, 1) = aten.clone.default(self=w, memory_format=None)
  e_without_bias f16[1024, 5001] strides (5056, 1) = aten.mm.default(self=x, mat2=w_copy)
  e f16[1024, 5001] = aten.add.Tensor(self=e_without_bias, other=bias, alpha=1)
  d f16[1024, 5001] = aten.neg.default(self=e) @backward 2
  return e, d
)");
  }

  TEST_CASE(
      "nothing changes where products are small, where rows lie well, where a copy costs more than it saves, and where a view "
      "knows no rows") {
    const auto staysAsItIs = [](const std::string& text) { CHECK(padded(text) == text); };
    const std::string small = R"(graph
  in x f16[64, 768]
  in w f16[5001, 768]
  t f16[768, 5001] strides (1, 768) of w = aten.t.default(self=w)
  p f16[64, 5001] = aten.mm.default(self=x, mat2=t)
  return p
)";
    CHECK(padded(small, lowering::leastOperations) == small);
    CHECK(padded(small) != small);
    staysAsItIs(R"(graph
  in x f16[512, 768]
  in w f16[768, 5008]
  p f16[512, 5008] = aten.mm.default(self=x, mat2=w)
  return p
)");
    staysAsItIs(R"(graph
  in x f16[512, 64]
  in w f16[5001, 64]
  t f16[64, 5001] strides (1, 64) of w = aten.t.default(self=w)
  p f16[512, 5001] = aten.mm.default(self=x, mat2=t)
  return p
)");
    staysAsItIs(R"(graph
  in x f16[512, 64]
  in w f16[5001, 64]
  t f16[64, 5001] strides (1, 64) of w = aten.t.default(self=w)
  p f16[512, 5001] = aten.mm.default(self=x, mat2=t)
  v f16[2560512] of p = aten.view.default(self=p, size=[2560512])
  e f16[2560512] = aten.exp.default(self=v)
  return e
)");
    staysAsItIs(R"(graph
  in x f16[512, 64]
  in w f16[5001, 64]
  t f16[64, 5001] strides (1, 64) of w = aten.t.default(self=w)
  p f16[512, 5001] = aten.mm.default(self=x, mat2=t)
  a f16[512, 3], b i64[512, 3] = aten.topk.default(self=p, k=3, dim=-1, largest=True, sorted=True)
  return a, b
)");
  }
}
