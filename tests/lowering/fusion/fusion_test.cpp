// Loops of one graph that become one: fused, or as kernels that share a launch or tasks.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "lowering/fusion/fuse_loops.h"
#include "lowering/schedule/launches.h"
#include "lowering/tensor/lowering.h"
#include "tests/kernels_of.h"
#include "tests/lowering/schedule/schedules.h"
#include "tests/lowering/values.h"

namespace {

using ir::Memory;
using tests::checkSchedules;

/// A negated tensor, and the sums of the channels of one of this type.
std::vector<ir::Loops> negatedAndSums(const std::string& type, const std::string& summed) {
  return lowering::lower(ir::parseGraph(fmt::format(R"(graph
  in self  {0}
  in other {0}
  out0 {0} = aten.neg.default(self=self)
  out1 f32[8] = aten.sum.dim_IntList(self={1}, dim=[0, 2, 3], keepdim=False, dtype=f32)
  return out0, out1
)",
                                                    type, summed)));
}

std::vector<lowering::LoopNest> fused(const std::vector<ir::Loops>& all, const ir::Target& target) {
  return lowering::fuseLoops(lowering::analyze(all, target), 100, target);
}

TEST_CASE("pointwise results are stored by the traversal that reduces rows of the same elements") {
  for (const char* type : {"f16[6, 8, 8, 8]", "f16[40, 8, 19, 19]", "f32[3, 8, 64, 64]"}) {
    const std::vector<ir::Loops> separate = negatedAndSums(type, "self");
    CHECK(separate.size() == 2);
    CHECK(fused(separate, tests::avx512()).size() == 2);
    const std::vector<lowering::LoopNest> one = fused(separate, tests::hopper());
    REQUIRE(one.size() == 1);
    checkSchedules(one[0].loops, 3);
  }
}

TEST_CASE("each random call of a graph draws numbers of its own") {
  const std::vector<ir::Loops> all = lowering::lower(ir::parseGraph(R"(graph
  in self f32[64]
  generator random i64[2]
  out0 f32[64], out1 b8[64] = aten.native_dropout.default(input=self, p=0.5, train=True)
  out2 f32[64], out3 b8[64] = aten.native_dropout.default(input=self, p=0.5, train=True)
  return out0, out1, out2, out3
)"));
  tests::Values values;
  for (const ir::Loops& loops : all) tests::run(loops, values);
  std::vector<std::vector<int64_t>> masks;
  for (const auto& [value, memory] : values)
    if (memory.dtype == ir::DType::Bool) masks.push_back(std::get<std::vector<int64_t>>(memory.data));
  REQUIRE(masks.size() == 2);
  CHECK((masks[0] != masks[1]));
}

TEST_CASE("loops over columns, and over other elements, stay apart") {
  const auto isApart = [](const std::vector<ir::Loops>& all) { return fused(all, tests::hopper()).size() == 2; };
  CHECK(isApart(negatedAndSums("f16[6, 8, 8, 8] strides (512, 1, 64, 8)", "self")));
  CHECK(isApart(negatedAndSums("f16[6, 8, 8, 8]", "other")));
}

TEST_CASE("sums of columns are split over the tasks of the rows that read the same tensors") {
  for (const auto& [rows, columns] : {std::pair{64, 96}, std::pair{100, 33}, std::pair{77, 300}}) {
    const std::vector<ir::Loops> all = lowering::lower(ir::parseGraph(fmt::format(R"(graph
  in grad_out f32[{0}, {1}]
  in input    f32[{0}, {1}]
  in mean     f32[{0}, 1]
  in rstd     f32[{0}, 1]
  in weight   f32[{1}]
  in bias     f32[{1}]
  out0 f32[{0}, {1}], out1 f32[{1}], out2 f32[{1}] = aten.native_layer_norm_backward.default(grad_out=grad_out, input=input, normalized_shape=[{1}], mean=mean, rstd=rstd, weight=weight, bias=bias, output_mask=[True, True, True])
  return out0, out1, out2
)",
                                                                                  rows, columns)));
    ir::Target target = tests::avx512();
    target.cacheBytes = int64_t{32} << 10;
    tests::Values expected;
    for (size_t i = 0; i < all.size(); ++i) {
      const std::vector<Memory> memory = tests::randomMemory(all[i], 1);
      for (size_t b = 0; b < memory.size(); ++b) expected.try_emplace(all[i].buffers[b].value, memory[b]);
    }
    const std::vector<ir::Kernel> kernels = tests::kernelsOf(all, target);
    REQUIRE(kernels.size() == 1);
    INFO(ir::toText(kernels.front()));
    REQUIRE_NOTHROW(ir::verify(kernels.front()));
    CHECK(kernels.front().launch.tasks > 1);
    tests::Values found = expected;
    for (const ir::Loops& loops : all) tests::run(loops, expected);
    tests::run(kernels.front(), found);
    for (const auto& [value, memory] : expected) {
      const auto& x = std::get<std::vector<double>>(memory.data);
      const auto& y = std::get<std::vector<double>>(found.at(value).data);
      for (size_t i = 0; i < x.size(); ++i) REQUIRE(y[i] == doctest::Approx(x[i]).epsilon(1e-4));
    }
  }
}

}  // namespace
