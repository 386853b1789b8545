// Values that loops leave to later ones: partial sums that several results are made of.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <map>

#include "ir/interpret.h"
#include "ir/text.h"
#include "ir/verify.h"
#include "lowering/lowering.h"
#include "lowering/together.h"
#include "tests/lowering/schedules.h"
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

TEST_CASE("kernels hand on partial sums: those that do not need each other's results share a launch") {
  for (const auto& [channels, extent, groups] : {std::tuple(8, 4, 1), std::tuple(12, 7, 3), std::tuple(6, 5, 6)}) {
    const std::vector<ir::Loops> all = groupNormBackward(3, channels, extent, groups);
    CAPTURE(groups);
    const Values start = valuesOf(all);
    Values expected = start;
    run(expected, all);
    for (const ir::Target& target : {tests::hopper(), tests::avx512()}) {
      const std::vector<ir::Kernel> kernels = lowering::scheduleAll(all, target, lowering::chooseTilings(all, target));
      Values found = start;
      run(found, kernels);
      checkClose(found, expected);
    }
  }
  const std::vector<ir::Loops> all = groupNormBackward(64, 384, 14, 1);
  CHECK(all.size() == 4);
  CHECK(lowering::scheduleAll(all, tests::hopper(), lowering::chooseTilings(all, tests::hopper())).size() == 3);
}

}  // namespace
