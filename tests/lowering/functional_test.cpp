// Graphs whose calls make new memory where they wrote some.
#include "lowering/graph/functional.h"

#include <doctest/doctest.h>

#include "ir/text/text.h"
#include "lowering/graph/unused.h"

namespace {

std::string functional(const std::string& text) {
  const auto draws = [](const ir::Node& node) { return node.op.starts_with("aten.bernoulli"); };
  const ir::Graph graph = lowering::functional(ir::parseGraph(text), draws);
  CHECK(ir::parseGraph(ir::toText(graph)) == graph);
  return ir::toText(lowering::withoutUnused(graph, draws));
}

}  // namespace

TEST_SUITE("functional graphs") {
  TEST_CASE("a call that accumulates makes a new memory, and what was a view of the old one becomes a view of it") {
    CHECK(functional(R"(graph
  in x f32[2, 3]
  a f32[2, 3] = aten.neg.default(self=x)
  t f32[3, 2] strides (1, 3) of a = aten.t.default(self=a)
  b f32[3, 2] strides (1, 3) = aten.exp.default(self=t)
  a = aten.add_.Tensor(self=a, other=x, alpha=1) writes a
  c f32[3, 2] strides (1, 3) = aten.exp.default(self=t)
  return b, c
)") == R"(graph
  in x f32[2, 3]
  a f32[2, 3] = aten.neg.default(self=x)
  t f32[3, 2] strides (1, 3) of a = aten.t.default(self=a)
  b f32[3, 2] strides (1, 3) = aten.exp.default(self=t)
  a_1 f32[2, 3] = aten.add.Tensor(self=a, other=x, alpha=1)
  t_1 f32[3, 2] strides (1, 3) of a_1 = aten.t.default(self=a_1)
  c f32[3, 2] strides (1, 3) = aten.exp.default(self=t_1)
  return b, c
)");
  }

  TEST_CASE("what is written through a view of all of a memory shows in what it is a view of") {
    CHECK(functional(R"(graph
  in x f32[2, 3]
  a f32[2, 3] = aten.neg.default(self=x)
  v f32[6] of a = aten.view.default(self=a, size=[6])
  v = aten.mul_.Scalar(self=v, other=2) writes v
  t f32[3, 2] strides (1, 3) of a = aten.t.default(self=a)
  t = aten.mul_.Scalar(self=t, other=2) writes t
  return a
)") == R"(graph
  in x f32[2, 3]
  a f32[2, 3] = aten.neg.default(self=x)
  v f32[6] of a = aten.view.default(self=a, size=[6])
  v_1 f32[6] = aten.mul.Scalar(self=v, other=2)
  a_1 f32[2, 3] of v_1 = aten.view.default(self=v_1, size=[2, 3])
  t_1 f32[3, 2] strides (1, 3) of v_1 = aten.t.default(self=a_1)
  t_2 f32[3, 2] strides (1, 3) = aten.mul.Scalar(self=t_1, other=2)
  a_2 f32[2, 3] of t_2 = aten.permute.default(self=t_2, dims=[1, 0])
  return a_2
)");
  }

  TEST_CASE("an input gets its last value by one copy, behind the last call that wrote it and in its phase") {
    CHECK(functional(R"(graph
  parameter w f32[2, 2]
  in x f32[2, 2]
  t f32[2, 2] strides (1, 2) of w = aten.t.default(self=w)
  p f32[2, 2] = aten.mm.default(self=x, mat2=t)
  w = aten.mul_.Scalar(self=w, other=2) writes w @optimizer
  w = aten.add_.Tensor(self=w, other=p, alpha=-1) writes w @optimizer
  q f32[2, 2] = aten.exp.default(self=p)
  return q, w
)") == R"(graph
  parameter w f32[2, 2]
  in        x f32[2, 2]
  t f32[2, 2] strides (1, 2) of w = aten.t.default(self=w)
  p f32[2, 2] = aten.mm.default(self=x, mat2=t)
  w_1 f32[2, 2] = aten.mul.Scalar(self=w, other=2) @optimizer
  w_2 f32[2, 2] = aten.add.Tensor(self=w_1, other=p, alpha=-1) @optimizer
  w = aten.copy_.default(self=w, src=w_2, non_blocking=False) writes w @optimizer
  q f32[2, 2] = aten.exp.default(self=p)
  return q, w
)");
  }

  TEST_CASE("left alone: parts, other dtypes, comparisons, indices, and what draws") {
    const std::string text = R"(graph
  in x f32[2, 3]
  in y f64[2, 3]
  in m i64[2]
  a f32[2, 3] = aten.neg.default(self=x)
  s f32[3] of a = aten.select.int(self=a, dim=0, index=0)
  s = aten.zero_.default(self=s) writes s
  a = aten.add_.Tensor(self=a, other=y, alpha=1) writes a
  a = aten.eq_.Scalar(self=a, other=0) writes a
  a = aten.index_fill_.int_Scalar(self=a, dim=0, index=m, value=1) writes a
  a = aten.bernoulli_.float(self=a, p=0.5, generator=None) writes a
  return a
)";
    CHECK(functional(text) == text);
  }

  const std::string filled = R"(graph
  in x f32[2, 3]
  in y f32[2, 2]
  a f32[2, 5] = aten.new_empty.default(self=x, size=[2, 5], dtype=None, layout=None, device=None, pin_memory=None)
  s f32[2, 2] strides (5, 1) of a + 3 = aten.slice.Tensor(self=a, dim=1, start=3, end=5, step=1)
  s = aten.copy_.default(self=s, src=y, non_blocking=False) writes s
  t f32[2, 3] strides (5, 1) of a = aten.slice.Tensor(self=a, dim=1, start=0, end=3, step=1)
  t = aten.copy_.default(self=t, src=x, non_blocking=False) writes t
  b f32[2, 5] = aten.exp.default(self=a)
  c f32[2, 2] strides (2, 1) = aten.exp.default(self=s)
  return b, c
)";

  TEST_CASE("copies that fill an empty memory are the parts beside each other") {
    CHECK(functional(filled) == R"(graph
  in x f32[2, 3]
  in y f32[2, 2]
  a_1 f32[2, 5] = aten.cat.default(tensors=[x, y], dim=1)
  b f32[2, 5] = aten.exp.default(self=a_1)
  s_1 f32[2, 2] strides (5, 1) of a_1 + 3 = aten.slice.Tensor(self=a_1, dim=1, start=3, end=5, step=1)
  c f32[2, 2] = aten.exp.default(self=s_1)
  return b, c
)");
  }

  TEST_CASE("copies stay where they leave a gap, write twice, are read in between, or what they copy is written") {
    const auto replaced = [&](const std::string& from, const std::string& to) {
      std::string text = filled;
      return text.replace(text.find(from), from.size(), to);
    };
    const std::string second = "  t f32[2, 3] strides (5, 1) of a";
    for (const std::string& text :
         {replaced("t f32[2, 3] strides (5, 1) of a = aten.slice.Tensor(self=a, dim=1, start=0, end=3, step=1)",
                   "t f32[2, 3] strides (5, 1) of a + 1 = aten.slice.Tensor(self=a, dim=1, start=1, end=4, step=1)"),
          replaced(second, "  s = aten.copy_.default(self=s, src=y, non_blocking=False) writes s\n" + second),
          replaced(second, "  d f32[2, 5] = aten.exp.default(self=a)\n" + second),
          replaced(second, "  y = aten.zero_.default(self=y) writes y\n" + second)}) {
      CAPTURE(text);
      CHECK(functional(text).find("aten.cat") == std::string::npos);
    }
  }

  TEST_CASE("a part of a new memory is written where it lies") {
    CHECK(functional(R"(graph
  in x f32[2, 3]
  a f32[2, 3] = aten.neg.default(self=x)
  s f32[3] of a = aten.select.int(self=a, dim=0, index=0)
  a = aten.add_.Tensor(self=a, other=x, alpha=1) writes a
  s = aten.zero_.default(self=s) writes s
  return a
)") == R"(graph
  in x f32[2, 3]
  a f32[2, 3] = aten.neg.default(self=x)
  a_1 f32[2, 3] = aten.add.Tensor(self=a, other=x, alpha=1)
  s_1 f32[3] of a_1 = aten.select.int(self=a_1, dim=0, index=0)
  s_1 = aten.zero_.default(self=s_1) writes s_1
  return a_1
)");
  }

  TEST_CASE("a call whose result nobody reads goes, and gradients keep the number of their call") {
    CHECK(ir::toText(lowering::withoutUnused(ir::parseGraph(R"(graph
  in x f32[2]
  a f32[2] = aten.exp.default(self=x)
  b f32[2] = aten.neg.default(self=x)
  c f32[2] = aten.neg.default(self=b) @backward 1
  x = aten.zero_.default(self=x) writes x
  return c
)"),
                                             [](const ir::Node&) { return false; })) == R"(graph
  in x f32[2]
  b f32[2] = aten.neg.default(self=x)
  c f32[2] = aten.neg.default(self=b) @backward 0
  x = aten.zero_.default(self=x) writes x
  return c
)");
  }
}
