// Tensors that are contiguous along different axes meet in tiles of shared memory.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "lowering/fusion/split_axes.h"
#include "lowering/heuristics/schedule.h"
#include "lowering/heuristics/transposed.h"
#include "lowering/layout/check.h"
#include "tests/lowering/schedule/schedules.h"

namespace {

using lowering::TransposedDraft;

lowering::LoopNest nestOf(const std::string& lines) {
  return lowering::analyze(lowering::splitAxes(lowering::lower(ir::parseGraph("graph\n" + lines))).front(), tests::hopper());
}

/// `self + other`, with the strides of each and of the result.
std::string add(const std::string& dtype, const std::string& sizes, const std::string& self, const std::string& other,
                const std::string& out) {
  const auto type = [&](const std::string& strides) {
    return dtype + "[" + sizes + "]" + (strides.empty() ? "" : " strides (" + strides + ")");
  };
  return fmt::format("  in self {}\n  in other {}\n  out0 {} = aten.add.Tensor(self=self, other=other, alpha=1)\n  return out0\n",
                     type(self), type(other), type(out));
}

/// Carries a transposed kernel out, and compares what it leaves in memory with what the loops do.
void check(const lowering::LoopNest& nest, const TransposedDraft& draft) {
  const lowering::Schedule schedule = scheduleOf(draft, nest.transposition->domain);
  CAPTURE(toText(schedule));
  REQUIRE_NOTHROW(lowering::check(schedule, nest, tests::hopper()));
  const ir::Kernel kernel = lowering::apply(nest, tests::hopper(), schedule);
  INFO(ir::toText(kernel));
  REQUIRE_NOTHROW(ir::verify(kernel, tests::hopper()));
  std::vector<ir::Memory> expected = tests::randomMemory(nest.loops, 1), found = expected;
  ir::interpret(nest.loops, expected);
  REQUIRE_NOTHROW(ir::interpret(kernel, found));
  for (size_t i = 0; i < expected.size(); ++i) CHECK(tests::same(found[i], expected[i]));
}

}  // namespace

TEST_CASE("a matrix and the transposed of another one are added in tiles, whatever these are") {
  const lowering::LoopNest nest = nestOf(add("f16", "64, 96", "", "1, 64", ""));
  REQUIRE(nest.transposition);
  for (const TransposedDraft& schedule :
       {TransposedDraft{8, 32, 32, 64}, TransposedDraft{8, 64, 64, 256}, TransposedDraft{4, 32, 16, 128},
        TransposedDraft{1, 32, 8, 256}, TransposedDraft{2, 128, 4, 64}})
    check(nest, schedule);
}

TEST_CASE("tiles at both edges of a matrix are smaller ones") {
  const lowering::LoopNest nest = nestOf(add("f32", "37, 45", "", "1, 37", ""));
  for (const TransposedDraft& schedule : {TransposedDraft{1, 32, 32, 128}, TransposedDraft{1, 64, 16, 64}}) check(nest, schedule);
}

TEST_CASE("images that lie pixel by pixel meet those that lie channel by channel") {
  SUBCASE("the result lies channel by channel") {
    const lowering::LoopNest nest = nestOf(add("f16", "2, 24, 5, 8", "", "960, 1, 192, 24", ""));
    check(nest, {8, 8, 32, 32});
    check(nest, {4, 32, 16, 64});
  }
  SUBCASE("the result lies pixel by pixel, in three channels") {
    const std::string pixels = "120, 1, 24, 3";
    const lowering::LoopNest nest = nestOf(add("f16", "2, 3, 5, 8", pixels, "", pixels));
    check(nest, {1, 4, 32, 64});
  }
}

TEST_CASE("a tile takes several rows of the result that are short and follow one another") {
  const lowering::LoopNest nest = nestOf(add("f16", "2, 24, 6, 14", "", "2016, 1, 336, 24", ""));
  check(nest, {2, 14, 16, 168, 6});
  check(nest, {2, 14, 8, 112, 4});  // of the last tile two
  check(nest, {1, 14, 8, 56, 4});
  const lowering::LoopNest windows = nestOf(
      "  in self f16[4, 64, 28, 28] strides (50176, 1, 1792, 64)\n  out0 f16[4, 576, 196] = aten.im2col.default(self=self, "
      "kernel_size=[3, 3], dilation=[1, 1], padding=[1, 1], stride=[2, 2])\n  return out0\n");
  REQUIRE(windows.transposition);
  const TransposedDraft draft = *draftTransposition(*windows.transposition, tests::hopper());
  CHECK(draft.rows == 14);
  CHECK(draft.along == 14);
  check(windows, draft);
}

TEST_CASE("masked reads go through tiles where what hides them is not along their own axis") {
  SUBCASE("images that lie pixel by pixel, in a frame of zeros") {
    const lowering::LoopNest nest = nestOf(
        "  in self f16[2, 24, 6, 8] strides (1152, 1, 192, 24)\n  out0 f16[2, 24, 8, 16] = "
        "aten.constant_pad_nd.default(self=self, "
        "pad=[3, 5, 1, 1], value=1)\n  return out0\n");
    REQUIRE(nest.transposition);
    check(nest, {8, 16, 32, 32});
    check(nest, {2, 8, 16, 32});
  }
  SUBCASE("a stack of tensors that lie differently") {
    const lowering::LoopNest nest = nestOf(
        "  in tensors0 f16[4, 16, 32]\n  in tensors1 f16[4, 16, 32] strides (512, 1, 16)\n"
        "  out0 f16[2, 4, 16, 32] = aten.stack.default(tensors=[tensors0, tensors1], dim=0)\n  return out0\n");
    REQUIRE(nest.transposition);
    check(nest, {8, 32, 16, 32});
  }
  SUBCASE("what is hidden along its own axis is read lane by lane") {
    const lowering::LoopNest nest = nestOf(
        "  in self f16[40, 16] strides (1, 40)\n  out0 f16[43, 16] = aten.constant_pad_nd.default(self=self, pad=[0, 0, 1, 2], "
        "value=0)\n  return out0\n");
    CHECK(!nest.transposition);
  }
}

TEST_CASE("all dims of a tensor may be reversed, and tensors may run three ways") {
  check(nestOf(add("f32", "16, 3, 20", "", "1, 16, 48", "")), {4, 16, 16, 32});
  check(nestOf(add("f32", "16, 12, 20", "1, 16, 192", "20, 320, 1", "240, 1, 12")), {4, 8, 16, 32});
}

TEST_CASE("results that run across the first one are written through tiles") {
  const lowering::LoopNest nest = nestOf(
      "  in self f32[32, 48]\n  in other f32[32, 48] strides (1, 32)\n"
      "  out0 f32[32, 48] = aten.add.Tensor(self=self, other=other, alpha=1)\n  return out0\n");
  ir::Loops both = nest.loops;
  ir::Buffer transposed = both.buffers[1];
  transposed.name = "out1";
  transposed.value = 9;
  transposed.isRead = false;
  transposed.isWritten = true;
  both.buffers.push_back(transposed);
  const ir::Expr* load = nullptr;
  for (const ir::Expr* node : ir::postorder({both.stores[0].value}))
    if (node->op == ir::Op::Load && node->load().buffer == 1) load = node;
  both.stores.push_back({3, load->src[0], both.stores[0].value});
  check(lowering::analyze(both, tests::hopper()), {4, 32, 32, 64});
}

TEST_CASE("what is small, or hardly an axis, is not transposed in tiles") {
  const auto chosen = [](const std::string& lines) { return toText(lowering::chooseSchedule(nestOf(lines), tests::hopper())); };
  CHECK(chosen(add("f16", "64, 64", "", "1, 64", "")).find("staged") == std::string::npos);
  CHECK(chosen(add("f16", "1000000, 2", "", "1, 1000000", "")).find("staged") == std::string::npos);
  CHECK(chosen(add("f16", "4096, 4096", "", "", "")).find("staged") == std::string::npos);
  CHECK(chosen(add("f16", "4096, 4096", "", "1, 4096", "")).ends_with("; staged crossing"));
}

TEST_CASE("the threads of every transposition's tile divide it, however short its axes are") {
  int transposed = 0;
  for (const char* dtype : {"i8", "f16", "f32", "f64"})
    for (const int along : {3, 4, 7, 8, 40, 64, 1000, 3249, 65536})
      for (const int across : {3, 4, 5, 8, 31, 64, 2048, 65537}) {
        const std::string sizes = fmt::format("8, {}, {}", across, along);
        CAPTURE(dtype);
        CAPTURE(sizes);
        const lowering::LoopNest nest =
            nestOf(add(dtype, sizes, "", fmt::format("{}, 1, {}", int64_t{across} * along, across), ""));
        const lowering::Schedule schedule = lowering::chooseSchedule(nest, tests::hopper());
        if (!toText(schedule).ends_with("staged crossing")) continue;
        ++transposed;
        CHECK(lowering::isPossible(schedule, nest, tests::hopper()));
        const ir::Kernel kernel = lowering::apply(nest, tests::hopper(), schedule);
        CHECK(kernel.launch.block >= ir::Target::warp);
        CHECK_NOTHROW(ir::verify(kernel, tests::hopper()));
      }
  CHECK(transposed > 80);
}
