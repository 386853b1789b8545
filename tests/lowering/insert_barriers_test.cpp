// Barriers and waits for copies stand where they are needed, and nowhere else: none can be taken out unnoticed.
#include "lowering/kernel/insert_barriers.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "ir/text/text.h"
#include "lowering/heuristics/rows.h"
#include "lowering/heuristics/schedule.h"
#include "lowering/schedule/apply.h"
#include "lowering/tensor/lowering.h"
#include "tests/kernels_of.h"
#include "tests/reduction_kernels.h"
#include "tests/targets.h"
#include "tests/waits.h"

namespace {

/// Few multiprocessors, which small loops fill.
ir::Target smallGpu() {
  ir::Target target = tests::hopper();
  target.processors = 2;
  return target;
}

int checkAll(const std::vector<ir::Kernel>& kernels) {
  int waits = 0;
  for (const ir::Kernel& kernel : kernels)
    if (tests::isSmall(kernel)) waits += tests::checkWaits(lowering::insertBarriers(kernel));
  return waits;
}

/// Removes each wait of the kernels that a graph of these lines has, by the rules and with every candidate of its schedules.
void checkGraph(const std::string& lines) {
  CAPTURE(lines);
  int waits = 0;
  for (const ir::Target& target : {tests::hopper(), smallGpu()}) {
    const std::vector<ir::Loops> loops = lowering::lower(ir::parseGraph("graph\n" + lines));
    const lowering::LoopNests nests = tests::nestsOf(loops, target);
    waits += checkAll(tests::kernelsOf(nests, target));
    for (const lowering::LoopNest& nest : nests.all)
      for (const lowering::Schedule& schedule : lowering::candidates(nest, target, lowering::chooseSchedule(nest, target))) {
        CAPTURE(toText(schedule));
        waits += checkAll({lowering::apply(nest, target, schedule)});
      }
  }
  CHECK(waits > 0);
}

std::string softmaxOf(const std::string& sizes) {
  return fmt::format("  in self {0}\n  out0 {0} = aten._softmax.default(self=self, dim=-1, half_to_float=False)\n  return out0\n",
                     sizes);
}

std::string sumOf(const std::string& in, const std::string& dims, const std::string& out) {
  return fmt::format(
      "  in self f32{}\n  out0 f32{} = aten.sum.dim_IntList(self=self, dim={}, keepdim=False, dtype=None)\n  return out0\n", in,
      out, dims);
}

std::string cumsumOf(const std::string& type, int dim) {
  return fmt::format("  in self {0}\n  out0 {0} = aten.cumsum.default(self=self, dim={1}, dtype=None)\n  return out0\n", type,
                     dim);
}

}  // namespace

TEST_CASE("rows of a warp, a CTA and a cluster; in registers, in shared memory, or read again") {
  for (const char* type : {"f16[4, 256]", "f16[3, 77]", "f16[2, 5003]", "f32[2, 2048]", "f32[1, 16384]"})
    checkGraph(softmaxOf(type));
}

TEST_CASE("rows of many runs, and persistent clusters") {
  checkGraph(R"(  in input f32[4, 6, 7, 5]
  out0 f32[4, 6, 7, 5], out1 f32[6], out2 f32[6] = aten.native_batch_norm.default(input=input, weight=None, bias=None, running_mean=None, running_var=None, training=True, momentum=0.1, eps=1e-05)
  return out0, out1, out2
)");
  checkGraph(R"(  in input f16[8, 3, 32, 32]
  out0 f16[8, 3, 32, 32], out1 f32[3], out2 f32[3] = aten.native_batch_norm.default(input=input, weight=None, bias=None, running_mean=None, running_var=None, training=True, momentum=0.1, eps=1e-05)
  return out0, out1, out2
)");
}

TEST_CASE("a persistent cluster a row, a slice of which each CTA has in shared memory") {
  const std::string graph = R"(graph
  in input f16[8, 3, 32, 32]
  out0 f16[8, 3, 32, 32], out1 f32[3], out2 f32[3] = aten.native_batch_norm.default(input=input, weight=None, bias=None, running_mean=None, running_var=None, training=True, momentum=0.1, eps=1e-05)
  return out0, out1, out2
)";
  const lowering::LoopNest nest = lowering::analyze(lowering::lower(ir::parseGraph(graph)).front(), tests::hopper());
  const lowering::RowDraft draft =
      lowering::draftRows(*nest.reduction, nest.domain, tests::hopper(), {.slice = 4096, .isPersistent = true});
  REQUIRE(draft.isPersistent);
  CHECK(checkAll({lowering::apply(nest, tests::hopper(), scheduleOf(draft, nest.domain))}) > 0);
}

TEST_CASE("columns, columns split over clusters and over the grid, one row split over the grid") {
  checkGraph(sumOf("[200, 96]", "[0]", "[96]"));
  checkGraph(sumOf("[3, 100, 33]", "[1]", "[3, 33]"));
  checkGraph(sumOf("[2000, 24]", "[0]", "[24]"));
  checkGraph(sumOf("[60000]", "[0]", "[]"));
}

TEST_CASE("tiles that are staged in shared memory") {
  checkGraph(R"(  in input  f16[3, 49, 24] strides (1176, 1, 49)
  in weight f16[24]
  in bias   f16[24]
  out0 f16[3, 49, 24], out1 f32[3, 49, 1], out2 f32[3, 49, 1] = aten.native_layer_norm.default(input=input, normalized_shape=[24], weight=weight, bias=bias, eps=1e-05)
  return out0, out1, out2
)");
  checkGraph(R"(  in grad_output f16[2, 197, 40] strides (7880, 1, 197)
  in output f16[2, 197, 40]
  out0 f16[2, 197, 40] = aten._softmax_backward_data.default(grad_output=grad_output, output=output, dim=1, input_dtype=f16)
  return out0
)");
}

TEST_CASE("scans of rows and columns, of CTAs, clusters and the grid") {
  checkGraph(cumsumOf("i64[3, 1000]", 1));
  checkGraph(cumsumOf("f16[3, 9000]", 1));
  checkGraph(cumsumOf("i64[600, 64]", 0));
  checkGraph(cumsumOf("f32[3, 500, 40]", 1));
  checkGraph(cumsumOf("i64[60001]", 0));
}

TEST_CASE("mixed-order reductions: persistent CTAs, and a barrier of the grid") {
  const std::vector<ir::Loops> loops = lowering::lower(ir::parseGraph(R"(graph
  in grad_out f16[64, 96]
  in input f16[64, 96]
  in mean f32[64, 1]
  in rstd f32[64, 1]
  in weight f16[96]
  in bias f16[96]
  out0 f16[64, 96], out1 f16[96], out2 f16[96] = aten.native_layer_norm_backward.default(grad_out=grad_out, input=input, normalized_shape=[96], mean=mean, rstd=rstd, weight=weight, bias=bias, output_mask=[True, True, True])
  return out0, out1, out2
)"));
  const lowering::LoopNests nests = tests::nestsOf(loops, smallGpu());
  for (const std::string text : {"a b*8: serial a 8, grid a 4, thread a 2, thread b 32; persistent, resident 1",
                                 "a b*8: serial a 16, grid a 2, thread a 2, thread b 64; persistent, resident 1"})
    for (const char* atomic : {"", ", atomic"}) {
      const auto rows = lowering::parseSchedule(text + atomic, nests.all[nests.all.front().domain.runsAlongElements() ? 0 : 1]);
      const auto schedules = tests::matrixSchedules(nests, std::get<lowering::LayoutSchedule>(rows));
      CHECK(checkAll(lowering::applyAll(nests, smallGpu(), schedules)) > 0);
    }
}

TEST_CASE("kernels of every shape of a combination, which waits alike whatever it combines by") {
  int waits = 0;
  for (const tests::CombineShape& shape : tests::combineShapes())
    if (shape.threads * shape.ctas <= 1024 && shape.op == "add") waits += checkAll({tests::combineKernel(shape)});
  CHECK(waits > 0);
  CHECK(checkAll({tests::rowMoments(), tests::columnSum(), tests::waitingSum(), tests::largeTile()}) > 0);
}

TEST_CASE("two kernels in one launch") {
  checkGraph(R"(  in grad_output f16[2, 64, 6, 6]
  in self        f16[64, 96]
  in weight      f16[64, 96]
  out0 f16[64, 96] = aten._softmax.default(self=self, dim=-1, half_to_float=False)
  out1 f16[1, 96] = aten.sum.dim_IntList(self=weight, dim=[0], keepdim=True, dtype=None)
  return out0, out1
)");
}

namespace {

/// The statements of a kernel of 2 blocks of 64 threads, with what is put in: an input x, an output y, and shared arrays a, b and
/// c.
std::string inserted(const std::string& statements, const std::string& launch = "2 blocks of 64 threads") {
  const ir::Kernel kernel = ir::parseKernel("kernel k on cuda\n  launch " + launch + R"(
  in  x f32[128] align 16
  out y f32[128] align 16
  private r f32[1]
  shared a f32[64]
  shared b f32[64]
  shared c f32[64]
  global g f32[128]
)" + statements);
  const ir::Kernel made = lowering::insertBarriers(kernel);
  tests::checkWaits(made);
  const std::string text = ir::toText(made);
  return text.substr(text.find("  for "));
}

}  // namespace

TEST_CASE("threads wait for others, not where each has elements of its own") {
  CHECK(inserted(R"(  for i0 in 2 grid
    for i1 in 64 thread
      lanes l0 in 1
        a[i1] = x[i0*64 + i1] * f32(2)
    for i1 in 64 thread
      lanes l1 in 1
        a[i1] mul= f32(2)
    for i1 in 64 thread
      lanes l2 in 1
        y[i0*64 + i1] = a[63 - i1]
)") == R"(  for i0 in 2 grid
    for i1 in 64 thread
      lanes l0 in 1
        a[i1] = x[i0*64 + i1] * f32(2)
    for i1 in 64 thread
      lanes l1 in 1
        a[i1] mul= f32(2)
    barrier block
    for i1 in 64 thread
      lanes l2 in 1
        y[i0*64 + i1] = a[63 - i1]
)");
}

TEST_CASE("elements of its own that a thread has copied it awaits without a barrier, in a later loop over threads as well") {
  CHECK(inserted(R"(  for i0 in 2 grid
    for i1 in 64 thread
      lanes l0 in 1
        a[i1] x1 = x[i0*64 + i1] x1
    for i1 in 64 thread
      lanes l1 in 1
        y[i0*64 + i1] = a[i1]
)") == R"(  for i0 in 2 grid
    for i1 in 64 thread
      lanes l0 in 1 async
        a[i1] x1 = x[i0*64 + i1] x1
    await copies
    for i1 in 64 thread
      lanes l1 in 1
        y[i0*64 + i1] = a[i1]
)");
}

TEST_CASE("copies that nobody reads are awaited before other memory lies where they go") {
  CHECK(inserted(R"(  for i0 in 2 grid
    for i1 in 64 thread
      lanes l0 in 1
        a[i1] x1 = x[i0*64 + i1] x1
      lanes l1 in 1
        g[i0*64 + i1] = x[i0*64 + i1]
  for i2 in 2 grid
    for i1 in 64 thread
      lanes l2 in 1
        a[i1] = g[i2*64 + (63 - i1)]
    for i1 in 64 thread
      lanes l3 in 1
        y[i2*64 + i1] = a[63 - i1] + g[64 - i2*64 + i1]
)",
                 "2 blocks of 64 threads, 1 resident") == R"(  for i0 in 2 grid
    for i1 in 64 thread
      lanes l0 in 1 async
        a[i1] x1 = x[i0*64 + i1] x1
      lanes l1 in 1
        g[i0*64 + i1] = x[i0*64 + i1]
    await copies
  barrier grid
  for i2 in 2 grid
    for i1 in 64 thread
      lanes l2 in 1
        a[i1] = g[i2*64 + (63 - i1)]
    barrier block
    for i1 in 64 thread
      lanes l3 in 1
        y[i2*64 + i1] = a[63 - i1] + g[64 - i2*64 + i1]
)");
}

TEST_CASE("an iteration waits for the one before it") {
  CHECK(inserted(R"(  for i0 in 2 grid
    for i1 in 2 serial
      for i2 in 64 thread
        lanes l0 in 1
          a[i2] = x[i1*64 + i2]
      for i2 in 64 thread
        lanes l1 in 1
          r[0] = a[63 - i2]
    for i2 in 64 thread
      lanes l2 in 1
        y[i0*64 + i2] = r[0]
)") == R"(  for i0 in 2 grid
    for i1 in 2 serial
      barrier block
      for i2 in 64 thread
        lanes l0 in 1
          a[i2] = x[i1*64 + i2]
      barrier block
      for i2 in 64 thread
        lanes l1 in 1
          r[0] = a[63 - i2]
    for i2 in 64 thread
      lanes l2 in 1
        y[i0*64 + i2] = r[0]
)");
}

TEST_CASE("a CTA goes on with another persistent cluster once nobody reads its shared memory any more") {
  const auto kernel = [](const std::string& read) {
    return inserted(R"(  for i0 in 2 grid
    for i1 in 2 cluster
      for i2 in 64 thread
        lanes l0 in 1
          a[i2] = x[i0*64 + i2] * f32(2)
      for i2 in 64 thread
        lanes l1 in 1
          r[0] = a[)" + read +
                        R"(]
        if i1 == 0
          lanes l2 in 1
            y[i0*64 + i2] = r[0]
)",
                    "2 persistent clusters of 2 blocks of 64 threads");
  };
  CHECK(kernel("63 - i2").ends_with("            y[i0*64 + i2] = r[0]\n    barrier block\n"));
  CHECK(kernel("i2").find("barrier") == std::string::npos);
}

TEST_CASE("a CTA waits before the next persistent cluster even if that one would have as many barriers, at other places") {
  // The next cluster's write of b would wait for the last reads, and its read of a not for anything: two barriers, like here.
  const std::string made = inserted(R"(  for i0 in 2 grid
    for i1 in 2 cluster
      for i2 in 64 thread
        lanes l0 in 1
          a[i2] = x[i0*64 + i2] * f32(2)
      for i2 in 64 thread
        lanes l1 in 1
          b[i2] = x[i0*64 + i2] * f32(3)
      for i2 in 64 thread
        lanes l2 in 1
          r[0] = a[63 - i2]
      for i2 in 64 thread
        lanes l3 in 1
          c[i2] = x[i0*64 + i2] * f32(4)
      for i2 in 64 thread
        lanes l4 in 1
          r[0] add= c[63 - i2]
      for i2 in 64 thread
        lanes l5 in 1
          r[0] add= b[63 - i2]
        if i1 == 0
          lanes l6 in 1
            y[i0*64 + i2] = r[0]
)",
                                    "2 persistent clusters of 2 blocks of 64 threads");
  CHECK(made.ends_with("            y[i0*64 + i2] = r[0]\n    barrier block\n"));
}
