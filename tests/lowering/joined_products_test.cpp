// Graphs whose small products of one matrix become one product.
#include "lowering/graph/joined_products.h"

#include <doctest/doctest.h>

#include "tests/lowering/rewritten.h"

namespace {

std::string joined(const std::string& text) {
  const auto isGenerated = [](const ir::Node& node) { return node.op == "aten.relu.default" || node.op == "aten.cat.default"; };
  return tests::rewritten(text, [&](const ir::Graph& graph) { return lowering::withJoinedProducts(graph, isGenerated); });
}

/// Two products of one matrix, with biases; the first result is seen in heads before the second product is there.
const std::string twoProducts = R"(graph
  in        x f16[128, 64]
  parameter u f16[32, 64]
  parameter b f16[32]
  parameter v f16[16, 64]
  parameter c f16[16]
  s f16[64, 32] strides (1, 64) of u = aten.t.default(self=u)
  p f16[128, 32] = aten.addmm.default(self=b, mat1=x, mat2=s, beta=1, alpha=1)
  h f16[128, 4, 8] of p = aten.view.default(self=p, size=[128, 4, 8])
  t f16[64, 16] strides (1, 64) of v = aten.t.default(self=v)
  q f16[128, 16] = aten.addmm.default(self=c, mat1=x, mat2=t, beta=1, alpha=1)
  y f16[128, 4, 8] = aten.relu.default(self=h)
  z f16[128, 16] = aten.relu.default(self=q)
  return y, z
)";

std::string withPart(std::string text, const std::string& part, const std::string& other) {
  return text.replace(text.find(part), part.size(), other);
}

}  // namespace

TEST_SUITE("joined products") {
  TEST_CASE("results are columns of the joined one, and their views come behind it") {
    CHECK(joined(twoProducts) == R"(graph
  in        x f16[128, 64]
  parameter u f16[32, 64]
  parameter b f16[32]
  parameter v f16[16, 64]
  parameter c f16[16]
  s f16[64, 32] strides (1, 64) of u = aten.t.default(self=u)
  t f16[64, 16] strides (1, 64) of v = aten.t.default(self=v)
  q_weights f16[48, 64] = aten.cat.default(tensors=[u, v], dim=0)
  q_weights_t f16[64, 48] strides (1, 64) of q_weights = aten.t.default(self=q_weights)
  q_biases f16[48] = aten.cat.default(tensors=[b, c], dim=0)
  q_joined f16[128, 48] = aten.addmm.default(self=q_biases, mat1=x, mat2=q_weights_t, beta=1, alpha=1)
  p f16[128, 32] strides (48, 1) of q_joined = aten.slice.Tensor(self=q_joined, dim=1, start=0, end=32, step=1)
  q f16[128, 16] strides (48, 1) of q_joined + 32 = aten.slice.Tensor(self=q_joined, dim=1, start=32, end=48, step=1)
  h f16[128, 4, 8] strides (48, 8, 1) of q_joined = aten.view.default(self=p, size=[128, 4, 8])
  y f16[128, 4, 8] = aten.relu.default(self=h)
  z f16[128, 16] = aten.relu.default(self=q)
  return y, z
)");
  }

  TEST_CASE("products stay alone where others read the first one before, or see its rows in their middle") {
    const std::string read = withPart(twoProducts, "  t f16[64", "  w f16[128, 4, 8] = aten.relu.default(self=h)\n  t f16[64");
    CHECK(joined(withPart(read, "aten.relu.default(self=h)\n  z", "aten.relu.default(self=w)\n  z")).find("joined") ==
          std::string::npos);
    const std::string flat = withPart(twoProducts, "h f16[128, 4, 8] of p = aten.view.default(self=p, size=[128, 4, 8])",
                                      "h f16[256, 16] of p = aten.view.default(self=p, size=[256, 16])");
    CHECK(joined(withPart(flat, "y f16[128, 4, 8]", "y f16[256, 16]")) == withPart(flat, "y f16[128, 4, 8]", "y f16[256, 16]"));
  }

  TEST_CASE("products stay alone where a library or the outside sees a result, and where they are of other matrices") {
    CHECK(joined(withPart(twoProducts, "aten.relu.default(self=q)", "aten.erf.default(self=q)")).find("joined") ==
          std::string::npos);
    CHECK(joined(withPart(twoProducts, "return y, z", "return y, z, q")).find("joined") == std::string::npos);
    const std::string other = withPart(twoProducts, "  parameter u", "  in        w f16[128, 64]\n  parameter u");
    CHECK(joined(withPart(other, "self=c, mat1=x", "self=c, mat1=w")).find("joined") == std::string::npos);
  }

  TEST_CASE("weights that several products share are laid side by side once") {
    const std::string again = withPart(twoProducts, "  return y, z", R"(  w f16[128, 64] = aten.relu.default(self=x)
  i f16[128, 32] = aten.addmm.default(self=b, mat1=w, mat2=s, beta=1, alpha=1)
  j f16[128, 16] = aten.addmm.default(self=c, mat1=w, mat2=t, beta=1, alpha=1)
  k f16[128, 32] = aten.relu.default(self=i)
  l f16[128, 16] = aten.relu.default(self=j)
  return y, z, k, l)");
    const std::string text = joined(again);
    CHECK(text.find("j_joined f16[128, 48] = aten.addmm.default(self=q_biases, mat1=w, mat2=q_weights_t") != std::string::npos);
    CHECK(text.find("j_weights") == std::string::npos);
  }

  TEST_CASE("products of many tiles fill a GPU by themselves") {
    std::string large = twoProducts;
    for (size_t at = 0; (at = large.find("[128,", at)) != std::string::npos;) large.replace(at, 5, "[65536,");
    CHECK(joined(large).find("joined") == std::string::npos);
  }
}
