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
