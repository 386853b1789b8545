// Kernels of one call that share launches: independent ones do, however many they are and whatever runs between them.
#include "lowering/heuristics/launches.h"
#include "lowering/schedule/launches.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "ir/text/text.h"
#include "ir/verify/verify.h"
#include "lowering/fusion/split_reduction.h"
#include "lowering/kernel/insert_barriers.h"
#include "lowering/tensor/lowering.h"
#include "tests/kernels_of.h"
#include "tests/lowering/schedule/schedules.h"
#include "tests/lowering/values.h"

namespace {

std::vector<ir::Loops> lowered(const std::string& lines) { return lowering::lower(ir::parseGraph("graph\n" + lines)); }

std::vector<ir::Kernel> kernelsOf(const std::string& lines) { return tests::kernelsOf(lowered(lines), tests::hopper()); }

/// Checks that a kernel computes what several loops do one after another.
void computesAll(const ir::Kernel& kernel, const std::vector<ir::Loops>& all) {
  ir::verify(kernel);
  tests::Values expected;
  for (const ir::Loops& loops : all) {
    const std::vector<ir::Memory> memory = tests::randomMemory(loops, 1);
    for (std::size_t i = 0; i < memory.size(); ++i) expected.emplace(loops.buffers[i].value, memory[i]);
  }
  tests::Values found = expected;
  for (const ir::Loops& loops : all) tests::run(loops, expected);
  tests::run(kernel, found);
  for (const auto& [value, memory] : expected) CHECK(tests::same(found.at(value), memory));
}

TEST_CASE("kernels that know nothing of each other are one launch, all of them") {
  const std::vector<ir::Loops> all = lowered(R"(  in a f32[1000]
  in b f32[70, 30]
  in c f32[3001]
  in d f32[5]
  out0 f32[1000] = aten.neg.default(self=a)
  out1 f32[70, 30] = aten.abs.default(self=b)
  out2 f32[3001] = aten.neg.default(self=c)
  out3 f32[5] = aten.abs.default(self=d)
  return out0, out1, out2, out3
)");
  REQUIRE(all.size() == 4);
  const std::vector<ir::Kernel> kernels = tests::kernelsOf(all, tests::hopper());
  REQUIRE(kernels.size() == 1);
  INFO(ir::toText(kernels.front()));
  computesAll(kernels.front(), all);
}

TEST_CASE("kernels of one launch have their arrays of shared memory in common, as a CTA runs one of them") {
  const std::vector<ir::Loops> all = lowered(R"(  in a f32[640, 512] strides (1, 640)
  in b f32[512, 256] strides (1, 512)
  in c f32[256, 640] strides (1, 256)
  out0 f32[640, 512] = aten.neg.default(self=a)
  out1 f32[512, 256] = aten.abs.default(self=b)
  out2 f32[256, 640] = aten.neg.default(self=c)
  return out0, out1, out2
)");
  int64_t most = 0;  // of one alone
  for (const ir::Loops& loops : all)
    most = std::max(most, lowering::sharedBytes(tests::kernelsOf({loops}, tests::hopper()).front()));
  CHECK(most > 0);
  const std::vector<ir::Kernel> kernels = tests::kernelsOf(all, tests::hopper());
  REQUIRE(kernels.size() == 1);
  INFO(ir::toText(kernels.front()));
  CHECK(lowering::sharedBytes(kernels.front()) == most);
  computesAll(kernels.front(), all);
}

TEST_CASE("a kernel shares the launch of a later one, past those that run between them") {
  const ir::Graph graph = ir::parseGraph(R"(graph
  in grad_out f32[64, 14, 14, 512] strides (100352, 14, 1, 196)
  in input    f32[64, 14, 14, 512]
  in mean     f32[64, 14, 14, 1]
  in rstd     f32[64, 14, 14, 1]
  in weight   f32[512]
  in bias     f32[512]
  out0 f32[64, 14, 14, 512], out1 f32[512], out2 f32[512] = aten.native_layer_norm_backward.default(grad_out=grad_out, input=input, normalized_shape=[512], mean=mean, rstd=rstd, weight=weight, bias=bias, output_mask=[True, True, True])
  return out0, out1, out2
)");
  std::vector<lowering::LoopNest> all = lowering::analyze(lowering::lower(graph), tests::hopper());
  all = lowering::splitReductions(std::move(all), graph.values.size(), tests::hopper());
  const std::vector<ir::Kernel> kernels =
      tests::kernelsOf(lowering::analyzeJointly(std::move(all), tests::hopper()), tests::hopper());
  // The gradient of the input, whose CTAs are as large as those of the second stage, waits for the first stage and with the
  // second.
  REQUIRE(kernels.size() == 2);
  const auto writes = [&](const ir::Kernel& kernel, const std::string& name) {
    return std::any_of(kernel.params.begin(), kernel.params.end(),
                       [&](const ir::Param& param) { return param.buffer.name == name && param.buffer.isWritten; });
  };
  CHECK_FALSE(writes(kernels[0], "out0"));
  CHECK(writes(kernels[1], "out0"));
  CHECK(writes(kernels[1], "out1"));
}

std::string twoOf(const std::string& first, const std::string& second, const std::string& dtype) {
  return fmt::format(R"(  in a f16[1000]
  in b {2}[3000]
  out0 f16[1000] = aten.{0}.default(self=a)
  out1 {2}[3000] = aten.{1}.default(self=b)
  return out0, out1
)",
                     first, second, dtype);
}

TEST_CASE("relaxed math: kernels with functions share a launch if it holds for both; roots are exact where one needs them so") {
  const std::vector<ir::Kernel> both = kernelsOf(twoOf("silu", "silu", "f16")), one = kernelsOf(twoOf("silu", "neg", "i32"));
  REQUIRE(both.size() == 1);
  CHECK(both.front().math == ir::Math::Relaxed);
  REQUIRE(one.size() == 1);
  CHECK(one.front().math == ir::Math::Relaxed);
  const std::vector<ir::Kernel> roots = kernelsOf(twoOf("rsqrt", "rsqrt", "f32"));
  REQUIRE(roots.size() == 1);
  CHECK(roots.front().math == ir::Math::Rounded);
  const std::vector<ir::Kernel> apart = kernelsOf(twoOf("silu", "silu", "f32"));
  REQUIRE(apart.size() == 2);
  CHECK(apart[0].math != apart[1].math);
}

TEST_CASE("a kernel of many waves of resident CTAs keeps its occupancy, and a launch of its own") {
  const lowering::LoopNests nests = tests::nestsOf(lowered(R"(  in a f16[256, 768]
  in b f16[128, 768]
  out0 f16[256, 768] = aten._softmax.default(self=a, dim=1, half_to_float=False)
  out1 f16[128, 768] = aten._softmax.default(self=b, dim=1, half_to_float=False)
  return out0, out1
)"),
                                                   tests::hopper());
  const std::vector<ir::Kernel> kernels =
      lowering::applyAll(nests, tests::hopper(), lowering::chooseSchedules(nests, tests::hopper()));
  REQUIRE(kernels.size() == 2);
  REQUIRE(kernels.front().launch.resident > 0);
  CHECK(lowering::mergeLaunches(kernels, tests::hopper()).size() == 1);
  ir::Target small = tests::hopper();
  small.processors = 4;
  CHECK(lowering::mergeLaunches(kernels, small).size() == 2);
}

}  // namespace
