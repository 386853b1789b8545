// What reductions hold for loads of rows: choices between tensors, such as a concatenation's, and results of functions.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>

#include "ir/text/text.h"
#include "lowering/heuristics/launches.h"
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

/// The log softmax of an activation of rows, which are as long as `columns` says, and what else is computed of these.
ir::Kernel logSoftmaxOfTanh(int64_t columns, const std::string& others, const std::string& results) {
  const std::string type = fmt::format("bf16[2, {}]", columns);
  return kernelOf(fmt::format(R"(graph
  in x0 {0}
  y0 {0} = aten.tanh.default(self=x0)
  y1 {0} = aten._log_softmax.default(self=y0, dim=1, half_to_float=False)
{1}  return {2}
)",
                              type, fmt::format(fmt::runtime(others), type), results));
}

/// Whether a kernel holds something else than elements of its operands.
bool holdsValues(const ir::Kernel& kernel) {
  return std::ranges::any_of(kernel.locals, [](const ir::Local& local) { return local.buffer.name.starts_with("row_value"); });
}

int64_t heldIn(const ir::Kernel& kernel) {
  return std::ranges::count_if(kernel.locals, [](const ir::Local& local) {
    return local.buffer.name.starts_with("row_value") || local.buffer.name.find("_held") != std::string::npos;
  });
}

/// The schedule of the first loops of a graph of these lines.
lowering::LayoutSchedule layoutOf(const std::string& lines) {
  const std::vector<ir::Loops> all = lowering::lower(ir::parseGraph("graph\n" + lines));
  const lowering::LoopNests nests = tests::nestsOf(all, tests::hopper());
  return std::get<lowering::LayoutSchedule>(lowering::chooseSchedules(nests, tests::hopper()).front());
}
lowering::LayoutSchedule ofSoftmax(int rows, int columns) {
  return layoutOf(
      fmt::format("  in self f16[{0}, {1}]\n  out0 f16[{0}, {1}] = aten._softmax.default(self=self, dim=-1, "
                  "half_to_float=False)\n  return out0\n",
                  rows, columns));
}

}  // namespace

TEST_CASE("a row that is one of several tensors' takes one set of registers") { CHECK(heldIn(softmaxOf(1)) == 1); }

TEST_CASE("a row that is needed as an activation's results alone is held as these") {
  for (const int64_t columns : {1024, 40000}) {  // in registers, in shared memory
    CAPTURE(columns);
    CHECK(holdsValues(logSoftmaxOfTanh(columns, "", "y1")));
    CHECK(holdsValues(logSoftmaxOfTanh(columns, "", "y0, y1")));
  }
}

TEST_CASE("a row that is needed as it is, too, is held as it is") {
  CHECK_FALSE(holdsValues(logSoftmaxOfTanh(40000, "  y2 {0} = aten.mul.Tensor(self=y1, other=x0)\n", "y2")));
}

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

TEST_CASE("functions that two traversals need are held where a thread has few of them") {
  CHECK(ofSoftmax(6144, 197).keepsFunctions);
  CHECK(ofSoftmax(6144, 1024).keepsFunctions);
  CHECK_FALSE(ofSoftmax(6144, 8192).keepsFunctions);
}

TEST_CASE("fewer CTAs are resident where a thread keeps functions, or computes sines") {
  CHECK(layoutOf("  in self f16[32768, 2048]\n"
                 "  out0 f16[32768, 2048], out1 f32[32768, 1] = aten._fused_rms_norm.default(input=self, "
                 "normalized_shape=[2048], weight=None, eps=1e-05)\n  return out0, out1\n")
            .resident == 15);
  CHECK(ofSoftmax(32768, 2048).resident == 9);
  const std::string sum =
      "  out1 f32[32768, 1] = aten.sum.dim_IntList(self=out0, dim=[1], keepdim=True, dtype=None)\n"
      "  out2 f32[32768, 1024] = aten.mul.Tensor(self=self, other=out1)\n  return out2\n";
  const std::string row = "  in self f32[32768, 1024]\n  out0 f32[32768, 1024] = aten.{}.default(self=self)\n";
  CHECK(layoutOf(fmt::format(fmt::runtime(row), "neg") + sum).resident == 15);
  CHECK(layoutOf(fmt::format(fmt::runtime(row), "sin") + sum).resident == 9);
}
