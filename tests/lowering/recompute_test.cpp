// What the backward pass computes again instead of reading what the forward pass stored for it.
#include "lowering/graph/recompute.h"

#include <doctest/doctest.h>

#include "tests/lowering/rewritten.h"

namespace {

std::string recomputed(const std::string& text) {
  const auto isGenerated = [](const ir::Node& node) { return !node.op.starts_with("aten.mm"); };
  return tests::rewritten(text,
                          [&](const ir::Graph& graph) { return ir::numbered(lowering::withRecomputation(graph, isGenerated)); });
}

}  // namespace

TEST_SUITE("recomputation") {
  TEST_CASE("values between one that is kept anyway and what the backward pass reads are computed again there") {
    CHECK(recomputed(R"(graph
  in x f16[128, 64]
  in w f16[64, 64]
  in g f16[128, 64]
  a f16[128, 64] = aten.mm.default(self=x, mat2=w)
  b f16[128, 64] = aten.mul.Scalar(self=a, other=0.5)
  c f16[128, 64] = aten.tanh.default(self=b)
  d f16[128, 64] = aten.mul.Tensor(self=a, other=c)
  e f16[128, 64] = aten.mul.Tensor(self=g, other=a) @backward 3
  f f16[128, 64] = aten.tanh_backward.default(grad_output=e, output=c) @backward 2
  h f16[128, 64] = aten.mul.Tensor(self=f, other=b) @backward 1
  return d, h
)") == R"(graph
  in x f16[128, 64]
  in w f16[64, 64]
  in g f16[128, 64]
  a f16[128, 64] = aten.mm.default(self=x, mat2=w)
  b f16[128, 64] = aten.mul.Scalar(self=a, other=0.5)
  c f16[128, 64] = aten.tanh.default(self=b)
  d f16[128, 64] = aten.mul.Tensor(self=a, other=c)
  e f16[128, 64] = aten.mul.Tensor(self=g, other=a) @backward 3
  b_again f16[128, 64] = aten.mul.Scalar(self=a, other=0.5) @backward
  c_again f16[128, 64] = aten.tanh.default(self=b_again) @backward
  f f16[128, 64] = aten.tanh_backward.default(grad_output=e, output=c_again) @backward 2
  h f16[128, 64] = aten.mul.Tensor(self=f, other=b_again) @backward 1
  return d, h
)");
  }

  TEST_CASE("of a cast to more bytes the fewer ones are kept") {
    CHECK(recomputed(R"(graph
  in x f16[128, 64]
  in y f16[128, 64]
  in g f32[128, 64]
  a f16[128, 64] = aten.add.Tensor(self=x, other=y, alpha=1)
  b f32[128, 64] = aten._to_copy.default(self=a, dtype=f32, layout=None, device=None, pin_memory=None, non_blocking=False, memory_format=None)
  c f32[128] = aten.sum.dim_IntList(self=b, dim=[1], keepdim=False, dtype=None)
  p f16[128, 128] = aten.mm.default(self=a, mat2=a)
  d f32[128, 64] = aten.mul.Tensor(self=g, other=b) @backward 1
  return c, p, d
)")
              .find("b_again f32[128, 64] = aten._to_copy.default(self=a, dtype=f32, layout=None, device=None, pin_memory=None, "
                    "non_blocking=False, memory_format=None) @backward\n") != std::string::npos);
  }

  TEST_CASE(
      "nothing is computed again that a call reads, that is handed back, that is a sum, or whose operands change meanwhile") {
    const auto staysAsItIs = [](const std::string& text) { CHECK(recomputed(text) == text); };
    staysAsItIs(R"(graph
  in x f16[128, 64]
  in g f16[64, 64]
  a f16[128, 64] = aten.neg.default(self=x)
  b f16[128, 64] = aten.mm.default(self=a, mat2=g) @backward 0
  return b
)");
    staysAsItIs(R"(graph
  in x f16[128, 64]
  in g f16[128, 64]
  a f16[128, 64] = aten.neg.default(self=x)
  b f16[128, 64] = aten.mul.Tensor(self=a, other=g) @backward 0
  return a, b
)");
    staysAsItIs(R"(graph
  in x f32[8192, 8]
  in g f32[8192]
  a f32[8192] = aten.sum.dim_IntList(self=x, dim=[1], keepdim=False, dtype=None)
  b f32[8192] = aten.mul.Tensor(self=a, other=g) @backward 0
  return b
)");
    staysAsItIs(R"(graph
  buffer m f32[128, 64]
  in     g f32[128, 64]
  a f32[128, 64] = aten.neg.default(self=m)
  m = aten.copy_.default(self=m, src=a, non_blocking=False) writes m
  b f32[128, 64] = aten.mul.Tensor(self=a, other=g) @backward 0
  return b
)");
  }
}
