// Reductions of rows that are of one tensor or another, as a concatenation's are.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>

#include "ir/text/text.h"
#include "lowering/tensor/lowering.h"
#include "tests/kernels_of.h"
#include "tests/lowering/values.h"
#include "tests/random_expr.h"
#include "tests/targets.h"

namespace {

/// The first kernel of a graph, whose kernels are right.
ir::Kernel kernelOf(const std::string& graph) {
  const std::vector<ir::Loops> all = lowering::lower(ir::parseGraph(graph));
  const std::vector<ir::Kernel> kernels = tests::kernelsOf(all, tests::hopper());
  tests::Values expected;
  for (const ir::Loops& loops : all) {
    const std::vector<ir::Memory> memory = tests::randomMemory(loops, 1);
    for (size_t b = 0; b < memory.size(); ++b) expected.try_emplace(loops.buffers[b].value, memory[b]);
  }
  tests::Values found = expected;
  for (const ir::Loops& loops : all) tests::run(loops, expected);
  for (const ir::Kernel& kernel : kernels) tests::run(kernel, found);
  for (const auto& [value, memory] : expected) {
    const auto& x = std::get<std::vector<double>>(memory.data);
    const auto& y = std::get<std::vector<double>>(found.at(value).data);
    for (size_t i = 0; i < x.size(); ++i) REQUIRE(y[i] == doctest::Approx(x[i]).epsilon(1e-2));
  }
  REQUIRE_FALSE(kernels.empty());
  return kernels.front();
}

/// A softmax of two tensors side by side along a dim.
ir::Kernel softmaxOf(int dim) {
  const std::string joined = dim == 1 ? "f16[3, 8, 256]" : "f16[3, 4, 512]";
  return kernelOf(fmt::format(R"(graph
  in x0 f16[3, 4, 256]
  in x1 f16[3, 4, 256]
  y0 {0} = aten.cat.default(tensors=[x0, x1], dim={1})
  y1 {0} = aten._softmax.default(self=y0, dim=-1, half_to_float=False)
  return y1
)",
                              joined, dim));
}

int64_t heldIn(const ir::Kernel& kernel) {
  return std::ranges::count_if(kernel.locals, [](const ir::Local& local) {
    return local.buffer.name.starts_with("chosen") || local.buffer.name.find("_held") != std::string::npos;
  });
}

}  // namespace

TEST_CASE("a row that is one of several tensors' takes one set of registers") { CHECK(heldIn(softmaxOf(1)) == 1); }

TEST_CASE("rows that several tensors make together are right") { softmaxOf(2); }

TEST_CASE("a row of two numbers, side by side, has each of them in its own columns") {
  kernelOf(R"(graph
  in x0 f32[24, 64] strides (1, 0)
  in x1 f32[24, 64] strides (1, 0)
  in x2 f32[24, 128]
  y0 f32[24, 128] = aten.cat.default(tensors=[x0, x1], dim=1)
  y1 f32[24, 128] = aten.mul.Tensor(self=y0, other=x2)
  y2 f32[24, 1] = aten.sum.dim_IntList(self=y1, dim=[1], keepdim=True, dtype=None)
  y3 f32[24, 128] = aten.mul.Tensor(self=y0, other=y2)
  return y3
)");
}
