// Every candidate is a kernel that does what its loops do.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <functional>
#include <set>

#include "ir/text/text.h"
#include "lowering/heuristics/cpu/tasks.h"
#include "lowering/heuristics/schedule.h"
#include "lowering/layout/check.h"
#include "lowering/schedule/apply.h"
#include "lowering/schedule/launches.h"
#include "lowering/tensor/lowering.h"
#include "tests/lowering/schedule/possible.h"
#include "tests/targets.h"

namespace {

using lowering::Schedule;

ir::Loops loopsOf(const std::string& lines) { return lowering::lower(ir::parseGraph("graph\n" + lines)).front(); }

/// Schedules every candidate, checks it against the loops, and hands back the texts.
std::vector<std::string> checkAll(const std::string& lines, const ir::Target& target = tests::hopper()) {
  const tests::ScheduledNest one(lines, target);
  const Schedule rules = lowering::chooseSchedule(one.nest, target);
  std::vector<std::string> texts;
  for (const Schedule& schedule : lowering::candidates(one.nest, target, rules)) {
    texts.push_back(toText(schedule));
    CAPTURE(texts.back());
    REQUIRE_NOTHROW(lowering::check(schedule, one.nest, target));
    CHECK(lowering::parseSchedule(texts.back(), one.nest) == schedule);
    CHECK(one.faultOf(schedule) == "");
  }
  CHECK(texts.front() == toText(rules));
  CHECK(std::set<std::string>(texts.begin(), texts.end()).size() == texts.size());
  CHECK(texts.size() > 1);
  CHECK(texts.size() <= 24);
  return texts;
}

/// The same on CPUs with wide and narrow vectors, many threads, and small caches.
std::vector<std::string> checkCpu(const std::string& lines) {
  ir::Target manyCores = tests::avx512(), smallCache = tests::avx512();
  manyCores.processors = 16;
  smallCache.cacheBytes = 4096;
  for (const ir::Target& target : {tests::avx2(), manyCores, smallCache}) checkAll(lines, target);
  return checkAll(lines, tests::avx512());
}

std::string softmax(const std::string& rows, const std::string& elements) {
  const std::string type = "f16[" + rows + ", " + elements + "]";
  return "  in self " + type + "\n  out0 " + type +
         " = aten._softmax.default(self=self, dim=-1, half_to_float=False)\n  return out0\n";
}

std::string sum(const std::string& in, const std::string& dims, const std::string& out) {
  return "  in self f32" + in + "\n  out0 f32" + out + " = aten.sum.dim_IntList(self=self, dim=" + dims +
         ", keepdim=False, dtype=None)\n  return out0\n";
}

std::string cumsum(const std::string& type, int dim) {
  return fmt::format("  in self {0}\n  out0 {0} = aten.cumsum.default(self=self, dim={1}, dtype=None)\n  return out0\n", type,
                     dim);
}

TEST_CASE("norms and gradients of tensors whose memory runs across their rows") {
  for (const auto& [pixels, channels] : {std::pair{49, 24}, std::pair{196, 40}, std::pair{64, 128}})
    checkAll(fmt::format(R"(  in input  f16[3, {0}, {1}] strides ({2}, 1, {0})
  in weight f16[{1}]
  in bias   f16[{1}]
  out0 f16[3, {0}, {1}], out1 f32[3, {0}, 1], out2 f32[3, {0}, 1] = aten.native_layer_norm.default(input=input, normalized_shape=[{1}], weight=weight, bias=bias, eps=1e-05)
  return out0, out1, out2
)",
                         pixels, channels, pixels * channels));
  for (const auto& [classes, rows] : {std::pair{197, 40}, std::pair{785, 8}, std::pair{13, 9}})
    checkAll(fmt::format(R"(  in grad_output f16[2, {0}, {1}] strides ({2}, 1, {0})
  in output f16[2, {0}, {1}]
  out0 f16[2, {0}, {1}] = aten._softmax_backward_data.default(grad_output=grad_output, output=output, dim=1, input_dtype=f16)
  return out0
)",
                         classes, rows, classes * rows));
}

}  // namespace

TEST_CASE("rows: threads a row, rows a block, and where rows stay") {
  const std::vector<std::string> texts = checkAll(softmax("8", "512"));
  CHECK(texts.front() == "a b(0) c*8: grid a 8, thread c 64; hold registers, ahead, functions, resident 1");
  checkAll(softmax("600", "40"));
  checkAll(softmax("3", "77"));
  checkAll(softmax("70", "198"));
  checkAll(R"(  in grad_output f16[40, 401]
  in output f16[40, 401]
  out0 f16[40, 401] = aten._softmax_backward_data.default(grad_output=grad_output, output=output, dim=1, input_dtype=f16)
  return out0
)");
  checkAll(softmax("5", "1003"));
  checkAll(softmax("3", "5003"));
}

TEST_CASE("rows of clusters") {
  const std::vector<std::string> texts = checkAll(softmax("2", "32768"));
  CHECK(texts.front().find("cluster c ") != std::string::npos);
}

TEST_CASE("rows of many runs") {
  checkAll(R"(  in input f32[4, 6, 7, 5]
  out0 f32[4, 6, 7, 5], out1 f32[6], out2 f32[6] = aten.native_batch_norm.default(input=input, weight=None, bias=None, running_mean=None, running_var=None, training=True, momentum=0.1, eps=1e-05)
  return out0, out1, out2
)");
}

TEST_CASE("one row, split over the grid") {
  checkAll("  in self f32[300000]\n  out0 f32[] = aten.sum.default(self=self, dtype=None)\n  return out0\n");
}

TEST_CASE("columns: threads side by side and over a column, and blocks a tile") {
  const std::vector<std::string> texts = checkAll(sum("[200, 96]", "[0]", "[96]"));
  CHECK(texts.front().starts_with("a(0) b*4 c: "));
  const auto isPersistent = [](const std::string& text) { return text.find("; persistent") != std::string::npos; };
  CHECK(std::count_if(texts.begin(), texts.end(), isPersistent) == 1);
  checkAll(sum("[8, 520]", "[0]", "[520]"));
  checkAll(sum("[3, 100, 33]", "[1]", "[3, 33]"));
  checkAll(sum("[4000, 24]", "[0]", "[24]"));
}

TEST_CASE("columns of a tall matrix: CTAs that stay, or tiles") {
  const std::vector<std::string> texts = checkAll(sum("[70000, 16]", "[0]", "[16]"));
  CHECK(texts.front() == "a*4 b: serial b 2, unroll b 2, grid b 132, thread b 256, thread a 4; persistent, resident 1");
  const std::string atomic =
      "a*4 b: serial b 2, unroll b 2, grid b 132, thread b 256, thread a 4; atomic, persistent, resident 1";
  CHECK(std::find(texts.begin(), texts.end(), atomic) != texts.end());
}

TEST_CASE("elements: vectors a thread and threads a block") {
  const auto add = [](const std::string& type) {
    return "  in self " + type + "\n  in other " + type + "\n  out0 " + type +
           " = aten.add.Tensor(self=self, other=other, alpha=1)\n  return out0\n";
  };
  CHECK(checkAll(add("f16[64, 96]")).front() == "a*8: grid a 6, thread a 128");
  checkAll(add("f32[1001]"));
  checkAll(R"(  in self f16[77, 31]
  in other f16[31]
  out0 f16[77, 31] = aten.add.Tensor(self=self, other=other, alpha=1)
  return out0
)");
}

TEST_CASE("elements that gather: short vectors, and places in equal parts") {
  const std::string pool =
      "  in self f16[4, 3, 10, 12]\n  out0 f16[4, 3, 10, 12] = aten.avg_pool2d.default(self=self, kernel_size=[3, 3], stride=[1, "
      "1], "
      "padding=[1, 1], ceil_mode=False, count_include_pad=False, divisor_override=None)\n  return out0\n";
  const std::vector<std::string> texts = checkAll(pool);
  CHECK(texts.front() == "a(3)*2: grid a 6, thread a 128");
  CHECK(std::count(texts.begin(), texts.end(), "a(3)*4: unroll a 4 each 90, thread a 128") == 1);
  checkAll(
      "  in grad_output f16[2, 3, 6, 6]\n  in input f16[2, 3, 6, 6]\n  in grid f16[2, 6, 6, 2]\n  out0 f16[2, 6, 6, 2] = "
      "aten.grid_sampler_2d_backward.default(grad_output=grad_output, input=input, grid=grid, interpolation_mode=0, "
      "padding_mode=0, align_corners=False, output_mask=[False, True])\n  return out0\n");
}

TEST_CASE("on a CPU: tiles of elements, rows of a task, masked heads") {
  const auto add = [](const std::string& type, const std::string& other) {
    return "  in self " + type + "\n  in other " + other + "\n  out0 " + type +
           " = aten.add.Tensor(self=self, other=other, alpha=1)\n  return out0\n";
  };
  CHECK(checkCpu(add("f32[12000]", "f32[12000]")).front() == "tasks: lanes 32, tile 128, grain 4");
  checkCpu(add("f16[70, 513]", "f16[513]"));
  checkCpu(add("f16[300, 5]", "f16[300, 5]"));
  checkCpu(R"(  in self f32[40, 24]
  in other f32[24]
  out0 f32[40, 24] = aten.div.Tensor(self=self, other=other)
  return out0
)");
}

TEST_CASE("on a CPU: accumulators of rows, tasks that share them, and what is held") {
  CHECK(checkCpu(softmax("8", "512")).front() == "tasks: lanes 32, unroll 2, held 2048, grain 12");
  checkCpu(softmax("5", "1003"));
  checkCpu("  in self f32[200000]\n  out0 f32[] = aten.sum.default(self=self, dtype=None)\n  return out0\n");
  checkCpu(sum("[2, 3, 70, 100]", "[1, 3]", "[2, 70]"));
  checkCpu(R"(  in input f32[4, 48, 7, 5]
  out0 f32[4, 48, 7, 5], out1 f32[48], out2 f32[48] = aten.native_batch_norm.default(input=input, weight=None, bias=None, running_mean=None, running_var=None, training=True, momentum=0.1, eps=1e-05)
  return out0, out1, out2
)");
}

TEST_CASE("on a CPU: tiles of columns, tasks that share their elements, blocks, and stores across") {
  checkCpu(sum("[200, 96]", "[0]", "[96]"));
  checkCpu(sum("[3, 100, 33]", "[1]", "[3, 33]"));
  CHECK(checkCpu(sum("[40000, 24]", "[0]", "[24]")).front() == "tasks: lanes 32, tile 1, splits 2, shared, unroll 8, block 512");
  checkCpu(sum("[2, 3000, 300]", "[1]", "[2, 300]"));
  checkCpu(R"(  in input  f16[3, 49, 24] strides (1176, 1, 49)
  in weight f16[24]
  in bias   f16[24]
  out0 f16[3, 49, 24], out1 f32[3, 49, 1], out2 f32[3, 49, 1] = aten.native_layer_norm.default(input=input, normalized_shape=[24], weight=weight, bias=bias, eps=1e-05)
  return out0, out1, out2
)");
  checkCpu(R"(  in self f16[40, 24, 31]
  out0 f16[40, 24, 31] = aten._softmax.default(self=self, dim=1, half_to_float=False)
  return out0
)");
}

TEST_CASE("on a CPU: squares of tensors that cross the result, whole and at the ends of both axes") {
  const auto add = [](const std::string& type, const std::string& strides) {
    return fmt::format(
        "  in self {0}\n  in other {0} strides ({1})\n  out0 {0} = aten.add.Tensor(self=self, other=other, alpha=1)\n"
        "  return out0\n",
        type, strides);
  };
  CHECK(checkCpu(add("f32[96, 64]", "1, 96")).front() == "tasks: lanes 16, rows 32, tile 4, transposed, grain 9");
  checkCpu(add("f32[2, 33, 41]", "1353, 1, 33"));
  checkCpu(add("bf16[41, 70]", "1, 41"));
  checkCpu(add("f16[2, 9, 5, 7]", "315, 1, 63, 9"));
  CHECK(checkCpu(add("f32[96, 7]", "1, 96")).front().find("transposed") == std::string::npos);
}

TEST_CASE("scans: vectors at once, threads and CTAs a row or a column") {
  const std::vector<std::string> rows = checkAll(cumsum("f32[8, 4096]", 1));
  CHECK(rows.front() == "a b*4: grid a 8, unroll b 4, cluster b 2, thread b 128");
  CHECK(std::find(rows.begin(), rows.end(), "a b*4: grid a 8, unroll b 4, thread b 256") != rows.end());
  checkAll(cumsum("f32[20000]", 0));
  checkAll(cumsum("f16[300, 24]", 0));
}

TEST_CASE("on a CPU: tiles and blocks of scans") {
  checkCpu(cumsum("f32[9, 100]", 1));
  checkCpu(cumsum("f32[50, 300]", 0));
}

TEST_CASE("on a CPU: what a nest cannot have is refused") {
  const ir::Target target = tests::avx512();
  const auto refuses = [&](const std::string& lines, const std::function<void(lowering::TaskSchedule&)>& edit) {
    const lowering::LoopNest nest = lowering::analyze(loopsOf(lines), target);
    lowering::TaskSchedule schedule = lowering::chooseTaskSchedule(nest, target);
    REQUIRE(lowering::isPossible(schedule, nest, target));
    edit(schedule);
    return !lowering::isPossible(schedule, nest, target);
  };
  const std::string columns = sum("[5000, 24]", "[0]", "[24]");
  CHECK(refuses(columns, [](auto& schedule) { schedule.lanes = 3; }));
  CHECK(refuses(columns, [](auto& schedule) { schedule.tile = 0; }));
  CHECK(refuses(columns, [](auto& schedule) { schedule.splits = 5001; }));
  CHECK(refuses(columns, [](auto& schedule) { schedule.storesAcross = true; }));
  CHECK(refuses(softmax("8", "512"), [](auto& schedule) { schedule.splits = 2; }));
  CHECK(refuses(softmax("8", "512"), [](auto& schedule) { schedule.isAtomic = true; }));
  CHECK(refuses(tests::smallNests()[10], [](auto& schedule) { schedule.rows = 3; }));
  CHECK(refuses(columns, [](auto& schedule) { schedule.isTransposed = true; }));
  const std::string& squares = tests::smallNests()[7];
  CHECK(refuses(squares, [](auto& schedule) { schedule.rows = 8; }));
  CHECK(refuses(squares, [](auto& schedule) { schedule.rows = 1024; }));
  CHECK(refuses(squares, [](auto& schedule) { schedule.lanes = 1; }));
  CHECK(refuses(squares, [](auto& schedule) { schedule.tile = 4; }));
  CHECK(refuses(squares, [](auto& schedule) { schedule.isFlat = true; }));
  CHECK(refuses(squares, [](auto& schedule) { schedule.unroll = 2; }));
  CHECK(refuses(softmax("8", "513"), [](auto& schedule) { schedule.hasHead = false, schedule.streams = true; }));
}

TEST_CASE("without a schedule, that of the rules") {
  const ir::Loops loops = loopsOf(softmax("8", "512"));
  const lowering::LoopNest nest = lowering::analyze(loops, tests::hopper());
  const Schedule rules = lowering::candidates(nest, tests::hopper(), lowering::chooseSchedule(nest, tests::hopper())).front();
  const ir::Kernel kernel = lowering::narrowIndices({lowering::apply(nest, tests::hopper(), rules)}).front();
  CHECK(ir::toText(lowering::apply(loops, tests::hopper())) == ir::toText(kernel));
}
