// Products in parts.
#include "runtime/contenders/plan/split_product.h"

#include <ATen/Functions.h>
#include <doctest/doctest.h>

#include <map>

#include "inputs/data/materialize.h"
#include "ir/text/text.h"

namespace {

/// The product that is the one call of a graph, and drawn tensors of its values.
struct Case {
  explicit Case(const std::string& text, double leastOperations = 0)
      : graph(ir::parseGraph(text)), product(runtime::SplitProduct::of(graph.nodes.front(), graph, leastOperations)) {
    at::manual_seed(1);
    for (const ir::GraphValue& value : graph.values) {
      const auto options = at::TensorOptions(inputs::scalarType(value.type.dtype));
      tensors.push_back(at::empty_strided(value.type.sizes, value.type.strides, options));
      tensors.back().copy_(at::randn(value.type.sizes));
    }
  }

  /// What the parts give, in float32.
  at::Tensor run() {
    product->run([this](int value) -> const at::Tensor& { return tensors[static_cast<size_t>(value)]; });
    return tensors[static_cast<size_t>(product->output())].to(at::kFloat);
  }
  at::Tensor operator[](size_t value) const { return tensors[value].to(at::kFloat); }

  ir::Graph graph;
  std::optional<runtime::SplitProduct> product;
  std::vector<at::Tensor> tensors;
};

bool isClose(const at::Tensor& found, const at::Tensor& expected) { return at::allclose(found, expected, 4e-3, 1e-2); }

}  // namespace

TEST_SUITE("products in parts") {
  TEST_CASE("all parts of a product are there, whichever of its sizes is odd") {
    for (const char* sizes : {"19 16 16", "16 19 16", "16 16 19", "19 21 27", "19 16 27"}) {
      CAPTURE(sizes);
      int rows = 0, columns = 0, terms = 0;
      REQUIRE(std::sscanf(sizes, "%d %d %d", &rows, &columns, &terms) == 3);
      Case c(
          fmt::format("graph\n  in a f16[{0}, {2}] strides (32, 1)\n  in b f16[{2}, {1}] strides (1, 32)\n"
                      "  y f16[{0}, {1}] strides (24, 1) = aten.mm.default(self=a, mat2=b)\n  return y\n",
                      rows, columns, terms));
      CHECK(isClose(c.run(), at::mm(c[0], c[1])));
    }
  }

  TEST_CASE("a bias and factors are part of it, and matrices in batches") {
    Case biased(R"(graph
  in bias f16[21]
  in a f16[19, 27] strides (32, 1)
  in b f16[27, 21] strides (24, 1)
  y f16[19, 21] strides (24, 1) = aten.addmm.default(self=bias, mat1=a, mat2=b, beta=0.5, alpha=2)
  return y
)");
    CHECK(isClose(biased.run(), at::addmm(biased[0], biased[1], biased[2], 0.5, 2)));
    Case batched(R"(graph
  in a f16[3, 19, 27] strides (640, 32, 1)
  in b f16[3, 27, 21] strides (648, 24, 1)
  y f16[3, 19, 21] strides (480, 24, 1) = aten.bmm.default(self=a, mat2=b)
  return y
)");
    CHECK(isClose(batched.run(), at::bmm(batched[0], batched[1])));
    Case all(R"(graph
  in bias f16[3, 19, 21]
  in a f16[3, 19, 27] strides (640, 32, 1)
  in b f16[3, 27, 21] strides (648, 24, 1)
  y f16[3, 19, 21] strides (480, 24, 1) = aten.baddbmm.default(self=bias, batch1=a, batch2=b, beta=1, alpha=1)
  return y
)");
    CHECK(isClose(all.run(), at::baddbmm(all[0], all[1], all[2])));
  }

  TEST_CASE("a product stays whole that is small, that has good sizes, or whose rows begin at odd addresses") {
    const std::string odd = R"(graph
  in a f16[16, 32]
  in b f16[32, 21] strides (24, 1)
  y f16[16, 21] strides (24, 1) = aten.mm.default(self=a, mat2=b)
  return y
)";
    CHECK_FALSE(Case(odd).product->isWhole());
    Case small(odd, 1e10);
    CHECK(small.product->isWhole());
    CHECK(isClose(small.run(), at::mm(small[0], small[1])));
    for (const char* text : {"graph\n  in a f16[16, 32]\n  in b f16[32, 24]\n  y f16[16, 24] = aten.mm.default(self=a, mat2=b)\n"
                             "  return y\n",
                             "graph\n  in a f16[16, 32]\n  in b f16[32, 21]\n  y f16[16, 21] = aten.mm.default(self=a, mat2=b)\n"
                             "  return y\n"})
      CHECK(Case(text).product->isWhole());
  }
}
