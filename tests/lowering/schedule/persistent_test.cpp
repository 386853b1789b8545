// Loops that reduce a matrix along its rows and along its columns, in one kernel: it means what both loops say.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>

#include "ir/interpret/interpret.h"
#include "ir/text/text.h"
#include "ir/verify/verify.h"
#include "lowering/analysis/mixed_order.h"
#include "lowering/fusion/join_loops.h"
#include "lowering/heuristics/persistent.h"
#include "lowering/layout/check.h"
#include "lowering/schedule/launches.h"
#include "lowering/tensor/lowering.h"
#include "tests/kernels_of.h"
#include "tests/lowering/values.h"
#include "tests/targets.h"

namespace {

using ir::Memory;
using tests::Values;

Memory filled(const ir::TensorType& type, int value) {
  Memory memory = Memory::zeros(type.dtype, type.storageElements());
  auto& numbers = std::get<std::vector<double>>(memory.data);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = ir::round(type.dtype, static_cast<double>((i * 7 + static_cast<std::size_t>(value) * 5) % 23) / 8 - 1);
  return memory;
}

Values valuesOf(const std::vector<ir::Loops>& all) {
  Values values;
  for (const ir::Loops& loops : all)
    for (const ir::Buffer& buffer : loops.buffers) values.emplace(buffer.value, filled(buffer.type, buffer.value));
  return values;
}

double distance(const Memory& a, const Memory& b) {
  const auto &x = std::get<std::vector<double>>(a.data), &y = std::get<std::vector<double>>(b.data);
  double most = 0;
  for (std::size_t i = 0; i < y.size(); ++i) most = std::max(most, std::abs(x[i] - y[i]) / std::max(1.0, std::abs(y[i])));
  return most;
}

ir::Target device(int processors) {
  ir::Target target = tests::hopper();
  target.processors = processors;
  return target;
}

/// Schedules loops as one mixed-order reduction, and compares the kernel's memory with that of the loops.
void checkSchedule(const std::vector<ir::Loops>& all, const lowering::LayoutSchedule& schedule, int processors) {
  CAPTURE(toText(lowering::Schedule(schedule)));
  const ir::Target target = device(processors);
  const lowering::LoopNests nests = tests::nestsOf(all, target);
  const std::vector<lowering::Schedule> schedules = tests::matrixSchedules(nests, schedule);
  lowering::check(schedules, nests, target);
  const std::vector<ir::Kernel> kernels =
      lowering::narrowIndices(lowering::mergeLaunches(lowering::applyAll(nests, target, schedules), target));
  REQUIRE(kernels.size() == 1);
  const ir::Kernel& kernel = kernels.front();
  INFO(ir::toText(kernel));
  ir::verify(kernel);
  Values expected = valuesOf(all), found = expected;
  for (const ir::Loops& loops : all) tests::run(loops, expected);
  tests::run(kernel, found);
  for (const auto& [value, memory] : expected) {
    CAPTURE(value);
    CHECK(distance(found.at(value), memory) < 4e-3);
  }
}

/// The loops of a graph as one reduction of a matrix.
std::optional<lowering::MixedOrderReduction> mixedOrderOf(const std::vector<ir::Loops>& all) {
  const lowering::LoopNests nests = tests::nestsOf(all, tests::hopper());
  if (nests.all.size() == 1) return nests.all.front().mixedOrder;
  return nests.mixedOrders.empty() ? std::nullopt : std::optional(nests.mixedOrders.front().matrix);
}

/// The same for loops, by the rules, and where CTAs add what they have of columns.
void checkMixedOrder(const std::vector<ir::Loops>& all, int processors) {
  const std::optional<lowering::MixedOrderReduction> matrix = mixedOrderOf(all);
  REQUIRE(matrix);
  std::optional<lowering::LayoutSchedule> schedule = lowering::choosePersistentSchedule(*matrix, device(processors));
  REQUIRE(schedule);
  checkSchedule(all, *schedule, processors);
  schedule->isAtomic = true;
  if (lowering::canAdd(*matrix)) checkSchedule(all, *schedule, processors);
}

void checkMixedOrder(const std::string& lines, int processors) {
  checkMixedOrder(lowering::lower(ir::parseGraph("graph\n" + lines)), processors);
}

/// Two loops of a graph as one: elements, and the sums of their columns.
ir::Loops joined(const std::string& lines) {
  const std::vector<lowering::LoopNest> all =
      lowering::analyze(lowering::lower(ir::parseGraph("graph\n" + lines)), tests::hopper());
  REQUIRE(all.size() == 2);
  const std::optional<ir::Loops> split = lowering::splitAs(all[1], all[0]);
  const auto one = lowering::joinLoops(all[0], split ? lowering::analyze(*split, tests::hopper()) : all[1], {});
  REQUIRE(one);
  return one->loops;
}

/// What a kernel reads ahead, by traversal of the matrix.
std::vector<std::string> loadsOf(const std::string& lines, int processors) {
  const std::vector<ir::Loops> all = lowering::lower(ir::parseGraph("graph\n" + lines));
  const auto schedule = lowering::choosePersistentSchedule(*mixedOrderOf(all), device(processors));
  const lowering::LoopNests nests = tests::nestsOf(all, device(processors));
  const ir::Kernel kernel = lowering::applyAll(nests, device(processors), tests::matrixSchedules(nests, *schedule)).front();
  std::vector<std::string> names;
  for (const ir::Local& local : kernel.locals)
    if (local.buffer.name.find("_next") != std::string::npos) names.push_back(local.buffer.name);
  return names;
}

std::string layerNormBackward(int rows, int columns, const std::string& dtype = "f16") {
  return fmt::format(R"(  in grad_out {2}[{0}, {1}]
  in input {2}[{0}, {1}]
  in mean f32[{0}, 1]
  in rstd f32[{0}, 1]
  in weight {2}[{1}]
  in bias {2}[{1}]
  out0 {2}[{0}, {1}], out1 {2}[{1}], out2 {2}[{1}] = aten.native_layer_norm_backward.default(grad_out=grad_out, input=input, normalized_shape=[{1}], mean=mean, rstd=rstd, weight=weight, bias=bias, output_mask=[True, True, True])
  return out0, out1, out2
)",
                     rows, columns, dtype);
}

std::string sum(int rows, int columns, const std::string& dtype) {
  return fmt::format(
      "  in self {2}[{0}, {1}]\n  out0 {2}[{1}] = aten.sum.dim_IntList(self=self, dim=[0], keepdim=False, dtype=None)\n"
      "  return out0\n",
      rows, columns, dtype);
}

}  // namespace

TEST_CASE("rows and columns of one matrix: several rows a warp, a warp a row, several warps a row") {
  checkMixedOrder(layerNormBackward(300, 64), 2);
  checkMixedOrder(layerNormBackward(77, 144), 2);
  checkMixedOrder(layerNormBackward(60, 768), 2);
  checkMixedOrder(layerNormBackward(21, 2048), 3);
  checkMixedOrder(layerNormBackward(50, 48, "f32"), 2);
}

TEST_CASE("fewer rows than groups, or as many: nothing is read ahead") {
  checkMixedOrder(layerNormBackward(5, 64), 4);
  checkMixedOrder(layerNormBackward(24, 768), 2);
}

TEST_CASE("columns alone, which many CTAs add up") {
  checkMixedOrder(sum(700, 96, "f16"), 2);
  checkMixedOrder(sum(100, 520, "f32"), 5);
  checkMixedOrder(sum(3, 64, "f16"), 4);
}

TEST_CASE("columns whose elements are stored, too: after a grid barrier, from the columns' sums") {
  for (const char* type : {"f16[300, 64]", "f32[41, 12]", "f16[4, 48, 5, 6] strides (1440, 1, 288, 48)"}) {
    const int channels = std::string(type).find("64") != std::string::npos ? 64 : type[1] == '3' ? 12 : 48;
    checkMixedOrder(fmt::format(R"(  in input {0}
  in weight f32[{1}]
  in bias f32[{1}]
  in running_mean f32[{1}]
  in running_var f32[{1}]
  out0 {0}, out1 f32[{1}], out2 f32[{1}] = aten.native_batch_norm.default(input=input, weight=weight, bias=bias, running_mean=running_mean, running_var=running_var, training=True, momentum=0.1, eps=1e-05) writes running_mean, running_var
  return out0, out1, out2, running_mean, running_var
)",
                                type, channels),
                    3);
    checkMixedOrder(fmt::format(R"(  in grad_out {0}
  in input {0}
  in weight f32[{1}]
  in save_mean f32[{1}]
  in save_invstd f32[{1}]
  out0 {0}, out1 f32[{1}], out2 f32[{1}] = aten.native_batch_norm_backward.default(grad_out=grad_out, input=input, weight=weight, running_mean=None, running_var=None, save_mean=save_mean, save_invstd=save_invstd, train=True, eps=1e-05, output_mask=[True, True, True])
  return out0, out1, out2
)",
                                type, channels),
                    2);
  }
}

TEST_CASE("rows that no tensor has in one order: images and pixels") {
  for (const char* pixels : {"", " strides (64, 320, 1)"}) {
    CAPTURE(pixels);
    checkMixedOrder(fmt::format(R"(  in grad_out f16[5, 13, 64] strides (64, 320, 1)
  in input f16[5, 13, 64]{}
  in mean f32[5, 13, 1]
  in rstd f32[5, 13, 1]
  in weight f16[64]
  in bias f16[64]
  out0 f16[5, 13, 64], out1 f16[64], out2 f16[64] = aten.native_layer_norm_backward.default(grad_out=grad_out, input=input, normalized_shape=[64], mean=mean, rstd=rstd, weight=weight, bias=bias, output_mask=[True, True, True])
  return out0, out1, out2
)",
                                pixels),
                    2);
  }
}

TEST_CASE("elements that are stored by the traversal that sums their columns") {
  for (const int columns : {64, 40}) {
    checkMixedOrder({joined(fmt::format(R"(  in grad_output f16[5, 33, {0}]
  in self f16[5, 33, {0}]
  y0 f16[5, 33, {0}] = aten.silu_backward.default(grad_output=grad_output, self=self)
  y1 f16[165, {0}] of y0 = aten.view.default(self=y0, size=[165, {0}])
  y2 f16[1, {0}] = aten.sum.dim_IntList(self=y1, dim=[0], keepdim=True, dtype=None)
  return y0, y2
)",
                                        columns))},
                    3);
  }
  checkMixedOrder({joined(R"(  in self f16[13, 5, 64] strides (64, 832, 1)
  y0 f16[13, 5, 64] = aten.clone.default(self=self, memory_format=torch.contiguous_format)
  y1 f16[65, 64] of y0 = aten.view.default(self=y0, size=[65, 64])
  y2 f16[64] = aten.sum.dim_IntList(self=y1, dim=[0], keepdim=False, dtype=None)
  return y0, y2
)")},
                  2);
}

TEST_CASE("columns of several tensors side by side, each read where its mask holds") {
  checkMixedOrder({joined(R"(  in a f16[7, 5, 16]
  in b f16[7, 5, 16]
  y0 f16[2, 7, 5, 16] = aten.select_backward.default(grad_output=a, input_sizes=[2, 7, 5, 16], dim=0, index=1)
  y1 f16[2, 7, 5, 16] = aten.select_backward.default(grad_output=b, input_sizes=[2, 7, 5, 16], dim=0, index=0)
  y2 f16[2, 7, 5, 16] = aten.add.Tensor(self=y0, other=y1, alpha=1)
  y3 f16[7, 5, 2, 16] strides (80, 16, 560, 1) of y2 = aten.permute.default(self=y2, dims=[1, 2, 0, 3])
  y4 f16[7, 5, 2, 16] = aten.clone.default(self=y3, memory_format=torch.contiguous_format)
  y5 f16[7, 5, 32] of y4 = aten.view.default(self=y4, size=[7, 5, 32])
  y6 f16[32] = aten.sum.dim_IntList(self=y5, dim=[0, 1], keepdim=False, dtype=None)
  return y4, y6
)")},
                  2);
}

/// The gradient of a rotary embedding behind a norm: halves of each row are read where the other half stands.
std::string rotatedNormBackward(int rows, int half) {
  return fmt::format(R"(  in x f16[{0}, {2}]
  in cos f16[{0}, {2}]
  in weight f16[{2}]
  in norm f16[{0}, {2}]
  y0 f16[{0}, {2}] = aten.mul.Tensor(self=x, other=cos)
  y1 f16[{0}, {1}] strides ({2}, 1) of y0 = aten.slice.Tensor(self=y0, dim=1, start=0, end={1}, step=1)
  y2 f16[{0}, {1}] strides ({2}, 1) of y0 + {1} = aten.slice.Tensor(self=y0, dim=1, start={1}, end={2}, step=1)
  y3 f16[{0}, {2}] = aten.cat.default(tensors=[y2, y1], dim=1)
  y4 f16[{0}, {2}] = aten.mul.Tensor(self=y3, other=norm)
  out0 f16[{2}] = aten.sum.dim_IntList(self=y4, dim=[0], keepdim=False, dtype=None)
  y5 f16[{0}, {2}] = aten.mul.Tensor(self=y3, other=weight)
  y6 f16[{0}, {2}] = aten.mul.Tensor(self=y5, other=norm)
  y7 f16[{0}, 1] = aten.sum.dim_IntList(self=y6, dim=[1], keepdim=True, dtype=None)
  out1 f16[{0}, {2}] = aten.sub.Tensor(self=y5, other=y7, alpha=1)
  return out0, out1
)",
                     rows, half, 2 * half);
}

TEST_CASE("rows that are read at other places where a mask holds, if it holds for all of a vector") {
  checkMixedOrder(rotatedNormBackward(41, 32), 4);
  CHECK_FALSE(mixedOrderOf(lowering::lower(ir::parseGraph("graph\n" + rotatedNormBackward(41, 36)))).has_value());
}

TEST_CASE("what is stored before the columns' sums are known is read after it, where more would be read for it again") {
  const std::string lines = R"(  in a f16[150, 64]
  in b f16[150, 64]
  in x f16[150, 64]
  in input f16[150, 64]
  in weight f32[64]
  in save_mean f32[64]
  in save_invstd f32[64]
  y0 f16[150, 64] = aten.add.Tensor(self=a, other=b, alpha=1)
  y1 f16[150, 64] = aten.threshold_backward.default(grad_output=y0, self=x, threshold=0)
  y2 f16[150, 64], y3 f32[64], y4 f32[64] = aten.native_batch_norm_backward.default(grad_out=y1, input=input, weight=weight, running_mean=None, running_var=None, save_mean=save_mean, save_invstd=save_invstd, train=True, eps=1e-05, output_mask=[True, True, True])
)";
  checkMixedOrder(lines + "  return y1, y2, y3, y4\n", 3);
  checkMixedOrder(lines + "  return y2, y3, y4\n", 3);
  CHECK(loadsOf(lines + "  return y1, y2, y3, y4\n", 1).size() == 4 + 2);
  CHECK(loadsOf(lines + "  return y2, y3, y4\n", 1).size() == 4 + 4);
}

TEST_CASE("many columns: a CTA sums more of them, so that all have one round") {
  checkMixedOrder(layerNormBackward(40, 2048), 20);
  checkMixedOrder(layerNormBackward(20, 3072), 132);
}

TEST_CASE("two loops of one matrix are one kernel where each has the same schedule, in its own order of dims") {
  const std::vector<ir::Loops> all = lowering::lower(ir::parseGraph("graph\n" + layerNormBackward(60, 96)));
  const lowering::LoopNests nests = tests::nestsOf(all, device(4));
  REQUIRE(nests.all.size() == 2);
  const std::size_t rows = nests.all.front().domain.runsAlongElements() ? 0 : 1;
  const auto kernels = [&](const std::string& ofRows, const std::string& ofColumns) {
    std::vector<lowering::Schedule> schedules(2);
    schedules[rows] = lowering::parseSchedule(ofRows, nests.all[rows]);
    schedules[1 - rows] = lowering::parseSchedule(ofColumns, nests.all[1 - rows]);
    lowering::check(schedules, nests, device(4));
    return lowering::applyAll(nests, device(4), schedules).size();
  };
  const std::string alongRows = "a b*8: serial a 10, grid a 3, thread a 2, thread b 16; persistent, resident 1";
  const std::string alongColumns = "a*8 b: serial b 10, grid b 3, thread b 2, thread a 16; persistent, resident 1";
  CHECK(kernels(alongRows, alongColumns) == 1);
  CHECK(kernels(alongRows, "a*8 b: serial b 10, grid b 3, thread b 2, thread a 16; atomic, persistent, resident 1") == 1);
  CHECK(kernels(alongRows, "a*8 b: serial b 15, grid b 2, thread b 2, thread a 16; persistent, resident 1") == 2);
  CHECK(kernels("a b*8: grid a 60, thread b 32", alongColumns) == 2);
}

TEST_CASE("no matrix: one vector of the matrix is not aligned, rows are no rows of both, or columns are scanned") {
  const auto isMixedOrder = [](const std::string& lines) {
    return mixedOrderOf(lowering::lower(ir::parseGraph("graph\n" + lines))).has_value();
  };
  CHECK(isMixedOrder(layerNormBackward(40, 64)));
  CHECK_FALSE(isMixedOrder(layerNormBackward(40, 50)));
  CHECK_FALSE(isMixedOrder(sum(40, 50, "f16")));
  CHECK_FALSE(isMixedOrder(
      "  in self f16[40, 64]\n  out0 f16[40, 64] = aten.cumsum.default(self=self, dim=0, dtype=None)\n  return out0\n"));
}
