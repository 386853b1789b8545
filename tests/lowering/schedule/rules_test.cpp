// What the rules choose for loops of several operators.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "ir/text/text.h"
#include "lowering/heuristics/launches.h"
#include "lowering/tensor/lowering.h"
#include "tests/kernels_of.h"
#include "tests/targets.h"

namespace {

std::vector<ir::Loops> lowered(const std::string& text) { return lowering::lower(ir::parseGraph("graph\n" + text)); }

/// The schedule by the rules of the only loops of a graph, on a GPU.
lowering::LayoutSchedule scheduleOf(const std::string& text) {
  const lowering::LoopNests nests = lowering::analyzeJointly(lowering::analyze(lowered(text), tests::hopper()), tests::hopper());
  REQUIRE(nests.all.size() == 1);
  return std::get<lowering::LayoutSchedule>(lowering::chooseSchedules(nests, tests::hopper()).at(0));
}

/// Rows of 512 whose largest element is subtracted, and as many rows of 64 that are only scaled.
std::vector<ir::Loops> rowsBesideElements(int rows) {
  return lowered(fmt::format(R"(
  in x f16[{0}, 512]
  in y f16[{0}, 64]
  most f16[{0}, 1] = aten.amax.default(self=x, dim=[-1], keepdim=True)
  one f16[{0}, 512] = aten.sub.Tensor(self=x, other=most, alpha=1)
  two f16[{0}, 64] = aten.mul.Tensor(self=y, other=2.0)
  return one, two
)",
                             rows));
}

/// The elements of a vector of the loops of cosines of a row for each of so many.
int lanesOfCosines(int rows) {
  return scheduleOf(fmt::format(R"(
  in x f16[{0}, 64]
  y f16[{0}, 64] = aten.cos.default(self=x)
  return y
)",
                                rows))
      .layout.lanes();
}

}  // namespace

TEST_CASE("rows that memory runs across are staged, beside rows that are gathered, which are read where they lie") {
  const lowering::LayoutSchedule schedule = scheduleOf(R"(
  in x     bf16[4, 256, 600]
  in table bf16[700, 256]
  in index i64[600]
  rows   bf16[4, 600, 256] strides (153600, 1, 600) of x = aten.permute.default(self=x, dims=[0, 2, 1])
  places bf16[600, 256] = aten.embedding.default(weight=table, indices=index, padding_idx=-1, scale_grad_by_freq=False, sparse=False)
  sum    bf16[4, 600, 256] strides (153600, 1, 600) = aten.add.Tensor(self=rows, other=places, alpha=1)
  most   bf16[4, 600, 1] = aten.amax.default(self=sum, dim=[-1], keepdim=True)
  below  bf16[4, 600, 256] = aten.sub.Tensor(self=sum, other=most, alpha=1)
  return below
)");
  CHECK(schedule.staging == lowering::Staging::All);
}

TEST_CASE("staged rows are neighbours in memory, also beside what all images share; where they are no vectors, an odd number") {
  const auto tilesOf = [](int images, int channels, int pixels) {
    const lowering::LayoutSchedule schedule = scheduleOf(fmt::format(R"(
  in x bf16[{0}, {1}, {2}]
  in p bf16[{2}, {1}]
  rows  bf16[{0}, {2}, {1}] strides ({3}, 1, {2}) of x = aten.permute.default(self=x, dims=[0, 2, 1])
  sum   bf16[{0}, {2}, {1}] strides ({3}, 1, {2}) = aten.add.Tensor(self=rows, other=p, alpha=1)
  most  bf16[{0}, {2}, 1] = aten.amax.default(self=sum, dim=[-1], keepdim=True)
  below bf16[{0}, {2}, {1}] = aten.sub.Tensor(self=sum, other=most, alpha=1)
  return below
)",
                                                                     images, channels, pixels, channels * pixels));
    REQUIRE(schedule.staging == lowering::Staging::All);
    const lowering::Layout& layout = schedule.layout;
    return fmt::format("{} x {}", layout.extent(0, lowering::Bind::Grid), layout.extent(1, lowering::Bind::Grid));
  };
  CHECK(tilesOf(8, 1280, 1500) == "8 x 188");  // of 8 rows
  CHECK(tilesOf(32, 960, 729) == "32 x 67");   // of 11, not 12
}

TEST_CASE("rows of a few more than 256 vectors: as many vectors a thread as leave few threads idle; a sum alone takes a warp") {
  const auto threadsOf = [](const char* call, const char* result, int columns) {
    const lowering::Layout layout = scheduleOf(fmt::format("  in x f16[65536, {0}]\n  out {1}{2}\n  return out\n", columns,
                                                           fmt::format(fmt::runtime(result), columns), call))
                                        .layout;
    return fmt::format("{} threads, {} vectors", layout.group(), layout.extent(lowering::Bind::Unrolled));
  };
  const char *const sum = " = aten.sum.dim_IntList(self=x, dim=[1], keepdim=True, dtype=None)",
                    *const softmax = " = aten._softmax.default(self=x, dim=1, half_to_float=False)";
  CHECK(threadsOf(sum, "f16[65536, 1]", 2304) == "32 threads, 9 vectors");
  CHECK(threadsOf(softmax, "f16[65536, {}]", 2304) == "64 threads, 5 vectors");
  CHECK(threadsOf(softmax, "f16[65536, {}]", 4096) == "64 threads, 8 vectors");
}

TEST_CASE("columns that are multiplied by a row are summed where they lie: the row is little beside them") {
  const lowering::LayoutSchedule schedule = scheduleOf(R"(
  in weights bf16[32, 1, 2048]
  in values  bf16[32, 2048, 128]
  sums bf16[32, 1, 128] = aten.bmm.default(self=weights, mat2=values)
  return sums
)");
  CHECK(schedule.staging == lowering::Staging::None);
  CHECK(schedule.layout.lanes() == 8);
}

TEST_CASE("a few elements take as many threads as the CTAs of a few rows, and share their launch; many do not") {
  CHECK(tests::kernelsOf(rowsBesideElements(32), tests::hopper()).size() == 1);
  CHECK(tests::kernelsOf(rowsBesideElements(32768), tests::hopper()).size() == 2);
}

TEST_CASE("a few cosines take a thread each, as many wait for one another in a vector; many take vectors") {
  CHECK(lanesOfCosines(32) == 1);
  CHECK(lanesOfCosines(65536) == 8);
}
