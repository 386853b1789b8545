// Kernels that do the same to many tensors of different sizes in one launch.
#include "lowering/schedule/tensor_list.h"

#include <doctest/doctest.h>

#include <cmath>

#include "ir/interpret/interpret.h"
#include "ir/text/text.h"
#include "ir/verify/verify.h"
#include "lowering/analysis/elementwise.h"
#include "lowering/schedule/launches.h"
#include "lowering/schedule/vectorize.h"
#include "lowering/tensor/lowering.h"
#include "tests/targets.h"

namespace {

ir::Loops elementLoops(const std::string& graph) {
  ir::Loops loops = lowering::lower(ir::parseGraph(graph)).front();
  loops.name = "list";
  return loops;
}

std::string flatText(const std::optional<ir::Loops>& loops) { return loops ? ir::toText(*loops) : "not flat"; }

/// x / 2 + s as f16, of an f32 tensor of these sizes and a number.
std::string halfOf(const std::string& sizes) {
  return "graph\n  in x f32" + sizes + "\n  in s f32[]\n  h f32" + sizes + " = aten.div.Scalar(self=x, other=2)\n  a f32" +
         sizes + " = aten.add.Tensor(self=h, other=s, alpha=1)\n  y f16" + sizes +
         " = aten._to_copy.default(self=a, dtype=f16, layout=None, device=None, pin_memory=None, non_blocking=False, "
         "memory_format=None)\n  return y\n";
}

/// A kernel for a list of such tensors.
lowering::ListKernel listKernel(const std::vector<int64_t>& elements) {
  std::vector<ir::Param> params;
  for (const int64_t count : elements) {
    const ir::Loops loops = elementLoops(halfOf("[" + std::to_string(count) + "]"));
    for (ir::Param& param : lowering::parameters(loops, tests::hopper())) params.push_back(std::move(param));
  }
  ir::Loops loops = *lowering::flattened(elementLoops(halfOf("[5]")), lowering::listedElements(elements));
  return lowering::applyToList(std::move(loops), elements, std::move(params), tests::hopper());
}

}  // namespace

TEST_SUITE("lists of tensors in one launch") {
  TEST_CASE("loops that do the same to each element are flat, whatever the sizes and the order of their elements") {
    const std::string flat = flatText(lowering::flattened(elementLoops(halfOf("[768, 3, 5]")), 1 << 16));
    CHECK(flat == R"(loops list
  in  x f32[65536]
  in  s f32[]
  out y f16[65536]
  for i0 in 65536
    y[i0] = f16(x[i0] / f32(2) + s[0])
)");
    CHECK(flatText(lowering::flattened(elementLoops(halfOf("[7]")), 1 << 16)) == flat);
  }

  TEST_CASE("other loops are not") {
    const auto isFlat = [](const std::string& graph) { return lowering::flattened(elementLoops(graph), 64).has_value(); };
    CHECK(isFlat("graph\n  in x f32[4, 6]\n  y f32[4, 6] = aten.exp.default(self=x)\n  return y\n"));
    CHECK_FALSE(
        isFlat("graph\n  in x f32[4, 6]\n  y f32[4] = aten.sum.dim_IntList(self=x, dim=[1], keepdim=False, dtype=None)\n"
               "  return y\n"));
    CHECK_FALSE(
        isFlat("graph\n  in x f32[4, 6]\n  in r f32[6]\n  y f32[4, 6] = aten.add.Tensor(self=x, other=r, alpha=1)\n"
               "  return y\n"));
    CHECK_FALSE(isFlat(
        "graph\n  in x f32[4, 6] strides (1, 4)\n  y f32[4, 6] = aten.clone.default(self=x, memory_format=0)\n  return y\n"));
    CHECK_FALSE(isFlat("graph\n  in x f32[4, 6] strides (8, 1)\n  y f32[4, 6] = aten.exp.default(self=x)\n  return y\n"));
    CHECK_FALSE(isFlat("graph\n  in x f32[6]\n  y f32[6] = aten.cumsum.default(self=x, dim=0, dtype=None)\n  return y\n"));
  }

  TEST_CASE("a kernel gives every tensor of its list what it alone would be given, and touches nothing beyond") {
    const std::vector<int64_t> elements{1, 70000, 30, 4096, 8};
    const ir::Kernel kernel = listKernel(elements).kernel;
    ir::verify(kernel);
    std::vector<ir::Memory> memory;
    for (const int64_t count : elements) {
      memory.push_back(ir::Memory::zeros(ir::DType::F32, count));
      auto& x = std::get<std::vector<double>>(memory.back().data);
      for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i % 97);
      memory.push_back(ir::Memory::zeros(ir::DType::F32, 1));
      std::get<std::vector<double>>(memory.back().data)[0] = static_cast<double>(count % 11);
      memory.push_back(ir::Memory::zeros(ir::DType::F16, count));
    }
    ir::interpret(kernel, memory);
    for (size_t tensor = 0; tensor < elements.size(); ++tensor) {
      CAPTURE(elements[tensor]);
      const auto& y = std::get<std::vector<double>>(memory[3 * tensor + 2].data);
      REQUIRE(y.size() == static_cast<size_t>(elements[tensor]));
      for (size_t i = 0; i < y.size(); ++i)
        REQUIRE(y[i] == static_cast<double>(i % 97) / 2 + static_cast<double>(elements[tensor] % 11));
    }
  }

  TEST_CASE("its launch has the CTAs of all tensors, and its text is read back") {
    const ir::Kernel kernel = listKernel({1, 70000, 30}).kernel;
    const int64_t each = lowering::listedElements({70000}) / kernel.launch.grid;
    CHECK(ir::ctasOf(kernel) == 1 + (70000 + each - 1) / each + 1);
    const std::string text = ir::toText(kernel);
    CHECK(text.find("list i0 in 131073 of 1, 70000, 30\n") != std::string::npos);
    CHECK(ir::toText(ir::parseKernel(text)) == text);
  }
}
