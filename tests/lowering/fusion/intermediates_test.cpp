// Values that loops leave to later ones: partial sums that several results are made of.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

#include "ir/interpret/interpret.h"
#include "ir/text/text.h"
#include "ir/verify/verify.h"
#include "lowering/fusion/split_reduction.h"
#include "lowering/schedule/launches.h"
#include "lowering/tensor/lowering.h"
#include "tests/kernels_of.h"
#include "tests/lowering/schedule/schedules.h"
#include "tests/targets.h"

namespace {

/// Memory of values, each once, whichever loops or kernels have it.
using Values = std::map<int, ir::Memory>;

Values valuesOf(const std::vector<ir::Loops>& all) {
  Values values;
  for (const ir::Loops& loops : all) {
    const std::vector<ir::Memory> memory = tests::randomMemory(loops, 1);
    for (size_t b = 0; b < memory.size(); ++b) values.try_emplace(loops.buffers[b].value, memory[b]);
  }
  return values;
}

template <typename Code>
void run(Values& values, const Code& code, const std::vector<ir::Buffer>& buffers) {
  std::vector<ir::Memory> memory;
  for (const ir::Buffer& buffer : buffers) memory.push_back(values.at(buffer.value));
  ir::interpret(code, memory);
  for (size_t i = 0; i < buffers.size(); ++i) values[buffers[i].value] = memory[i];
}

void run(Values& values, const std::vector<ir::Loops>& all) {
  for (const ir::Loops& loops : all) {
    REQUIRE_NOTHROW(ir::verify(loops));
    run(values, loops, loops.buffers);
  }
}

void run(Values& values, const std::vector<ir::Kernel>& kernels) {
  for (const ir::Kernel& kernel : kernels) {
    REQUIRE_NOTHROW(ir::verify(kernel));
    std::vector<ir::Buffer> buffers;
    for (const ir::Param& param : kernel.params) buffers.push_back(param.buffer);
    run(values, kernel, buffers);
  }
}

void checkClose(const Values& found, const Values& expected) {
  for (const auto& [value, memory] : expected) {
    const auto& x = std::get<std::vector<double>>(memory.data);
    const auto& y = std::get<std::vector<double>>(found.at(value).data);
    for (size_t i = 0; i < x.size(); ++i) REQUIRE(y[i] == doctest::Approx(x[i]).epsilon(1e-3));
  }
}

std::vector<ir::Loops> groupNormBackward(int images, int channels, int extent, int groups) {
  return lowering::lower(ir::parseGraph(fmt::format(R"(graph
  in grad_out f32[{4}, {0}, {1}, {1}]
  in input    f32[{4}, {0}, {1}, {1}]
  in mean     f32[{4}, {2}]
  in rstd     f32[{4}, {2}]
  in weight   f32[{0}]
  out0 f32[{4}, {0}, {1}, {1}], out1 f32[{0}], out2 f32[{0}] = aten.native_group_norm_backward.default(grad_out=grad_out, input=input, mean=mean, rstd=rstd, weight=weight, N={4}, C={0}, HxW={3}, group={2}, output_mask=[True, True, True])
  return out0, out1, out2
)",
                                                    channels, extent, groups, extent * extent, images)));
}

TEST_CASE("kernels store intermediates for later ones; kernels that do not need each other's results share a launch") {
  for (const auto& [channels, extent, groups] : {std::tuple(8, 4, 1), std::tuple(12, 7, 3), std::tuple(6, 5, 6)}) {
    const std::vector<ir::Loops> all = groupNormBackward(3, channels, extent, groups);
    CAPTURE(groups);
    const Values start = valuesOf(all);
    Values expected = start;
    run(expected, all);
    for (const ir::Target& target : {tests::hopper(), tests::avx512()}) {
      const std::vector<ir::Kernel> kernels = tests::kernelsOf(all, target);
      Values found = start;
      run(found, kernels);
      checkClose(found, expected);
    }
  }
  const std::vector<ir::Loops> all = groupNormBackward(64, 384, 14, 1);
  CHECK(all.size() == 4);
  CHECK(tests::kernelsOf(all, tests::hopper()).size() == 3);
}

/// The gradients of a layer norm's weight and bias; the input's lies as it is said.
ir::Graph layerNormSums(const std::string& sizes, const std::string& strides, int channels, const std::string& rows) {
  return ir::parseGraph(fmt::format(R"(graph
  in grad_out f16{0}
  in input    f16{0} strides {1}
  in mean     f32{3}
  in rstd     f32{3}
  in weight   f16[{2}]
  in bias     f16[{2}]
  out0 f16{0}, out1 f16[{2}], out2 f16[{2}] = aten.native_layer_norm_backward.default(grad_out=grad_out, input=input, normalized_shape=[{2}], mean=mean, rstd=rstd, weight=weight, bias=bias, output_mask=[True, True, True])
  return out0, out1, out2
)",
                                    sizes, strides, channels, rows));
}

std::vector<ir::Loops> splitOf(const ir::Graph& graph, const ir::Target& target) {
  std::vector<ir::Loops> all;
  for (lowering::LoopNest& nest :
       lowering::splitReductions(lowering::analyze(lowering::lower(graph), target), graph.values.size(), target))
    all.push_back(std::move(nest.loops));
  return all;
}

TEST_CASE("sums of columns that a tensor lies across are split: partial sums in shared memory, then their sum") {
  ir::Target small = tests::hopper();
  small.processors = 2;
  for (const ir::Graph& graph : {
           layerNormSums("[20, 196, 24]", "(4704, 1, 196)", 24, "[20, 196, 1]"),
           layerNormSums("[2, 14, 130, 24]", "(43680, 130, 1, 1820)", 24, "[2, 14, 130, 1]"),
           layerNormSums("[6, 784, 17]", "(13328, 1, 784)", 17, "[6, 784, 1]"),
           layerNormSums("[9, 20, 20, 24]", "(9600, 20, 1, 400)", 24, "[9, 20, 20, 1]"),
       }) {
    const std::vector<ir::Loops> whole = lowering::lower(graph), split = splitOf(graph, small);
    REQUIRE(split.size() == whole.size() + 1);
    Values expected = valuesOf(whole), start = valuesOf(split), found = start;
    for (const auto& [value, memory] : expected) start[value] = found[value] = memory;
    run(expected, whole);
    run(found, split);
    const auto results = [&](const Values& all) {
      return Values{{graph.outputs[1], all.at(graph.outputs[1])}, {graph.outputs[2], all.at(graph.outputs[2])}};
    };
    checkClose(results(found), results(expected));
    found = start;
    run(found, tests::kernelsOf(split, small));
    checkClose(found, expected);
  }
}

TEST_CASE("a split takes whole axes, or a length of one axis that is a multiple of vectors") {
  const auto partOf = [](const ir::Graph& graph) {
    const std::vector<ir::Loops> all = splitOf(graph, tests::hopper());
    return all.size() == 2 ? "none" : fmt::format("{}", fmt::join(all[1].buffers.back().type.sizes, " x "));
  };
  CHECK(partOf(layerNormSums("[64, 196, 384]", "(75264, 1, 196)", 384, "[64, 196, 1]")) == "64 x 384");
  CHECK(partOf(layerNormSums("[64, 14, 14, 512]", "(100352, 14, 1, 196)", 512, "[64, 14, 14, 1]")) == "64 x 512");
  CHECK(partOf(layerNormSums("[64, 28, 28, 192]", "(150528, 28, 1, 784)", 192, "[64, 28, 28, 1]")) == "64 x 28 x 192");
  CHECK(partOf(layerNormSums("[64, 3136, 128]", "(401408, 1, 3136)", 128, "[64, 3136, 1]")) == "64 x 49 x 128");
  CHECK(partOf(layerNormSums("[128, 784, 128]", "(100352, 1, 784)", 128, "[128, 784, 1]")) == "128 x 14 x 128");
  SUBCASE("where that is worth a launch") {
    CHECK(partOf(layerNormSums("[20, 196, 24]", "(4704, 1, 196)", 24, "[20, 196, 1]")) == "none");
  }
  SUBCASE("where tensors run different ways") {
    CHECK(partOf(layerNormSums("[64, 196, 384]", "(75264, 384, 1)", 384, "[64, 196, 1]")) == "none");
  }
}

}  // namespace
