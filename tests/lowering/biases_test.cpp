// Graphs whose convolutions leave their biases to kernels.
#include "lowering/graph/biases.h"

#include <doctest/doctest.h>

#include "tests/lowering/rewritten.h"

namespace {

std::string withoutBiases(const std::string& text) {
  const auto isGenerated = [](const ir::Node& node) { return !node.op.starts_with("aten.convolution"); };
  return tests::rewritten(text, [&](const ir::Graph& graph) { return lowering::withConvolutionBiases(graph, isGenerated); });
}

}  // namespace

TEST_SUITE("biases of convolutions") {
  TEST_CASE("a bias is added by a call of its own, and its gradient is a sum") {
    CHECK(withoutBiases(R"(graph
  in        x f16[2, 3, 8, 8]
  parameter w f16[16, 3, 3, 3]
  parameter b f16[16]
  y f16[2, 16, 8, 8] = aten.convolution.default(input=x, weight=w, bias=b, stride=[1, 1], padding=[1, 1], dilation=[1, 1], transposed=False, output_padding=[0, 0], groups=1)
  r f16[2, 16, 8, 8] = aten.relu.default(self=y)
  g f16[16, 3, 3, 3], h f16[16] = aten.convolution_backward.default(grad_output=r, input=x, weight=w, bias_sizes=[16], stride=[1, 1], padding=[1, 1], dilation=[1, 1], transposed=False, output_padding=[0, 0], groups=1, output_mask=[False, True, True]) @backward 0
  k f16[16] = aten.convolution_backward.default(grad_output=y, input=x, weight=w, bias_sizes=[16], stride=[1, 1], padding=[1, 1], dilation=[1, 1], transposed=False, output_padding=[0, 0], groups=1, output_mask=[False, False, True]) @backward 0
  return g, h, k
)") == R"(graph
  in        x f16[2, 3, 8, 8]
  parameter w f16[16, 3, 3, 3]
  parameter b f16[16]
  y_without_bias f16[2, 16, 8, 8] = aten.convolution.default(input=x, weight=w, bias=None, stride=[1, 1], padding=[1, 1], dilation=[1, 1], transposed=False, output_padding=[0, 0], groups=1)
  b_view f16[16, 1, 1] of b = aten.view.default(self=b, size=[16, 1, 1])
  y f16[2, 16, 8, 8] = aten.add.Tensor(self=y_without_bias, other=b_view, alpha=1)
  r f16[2, 16, 8, 8] = aten.relu.default(self=y)
  h f16[16] = aten.sum.dim_IntList(self=r, dim=[0, 2, 3], keepdim=False, dtype=None) @backward 2
  g f16[16, 3, 3, 3] = aten.convolution_backward.default(grad_output=r, input=x, weight=w, bias_sizes=[16], stride=[1, 1], padding=[1, 1], dilation=[1, 1], transposed=False, output_padding=[0, 0], groups=1, output_mask=[False, True, False]) @backward 2
  k f16[16] = aten.sum.dim_IntList(self=y, dim=[0, 2, 3], keepdim=False, dtype=None) @backward 2
  return g, h, k
)");
  }

  TEST_CASE("a bias stays where no kernel reads the result") {
    const std::string chain = R"(graph
  in        x f16[2, 16, 8, 8]
  parameter w f16[16, 16, 3, 3]
  parameter b f16[16]
  y f16[2, 16, 8, 8] = aten.convolution.default(input=x, weight=w, bias=b, stride=[1, 1], padding=[1, 1], dilation=[1, 1], transposed=False, output_padding=[0, 0], groups=1)
  z f16[2, 16, 8, 8] = aten.convolution.default(input=y, weight=w, bias=None, stride=[1, 1], padding=[1, 1], dilation=[1, 1], transposed=False, output_padding=[0, 0], groups=1)
  return z
)";
    CHECK(withoutBiases(chain) == chain);
  }
}
