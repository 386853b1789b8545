#include "ir/index/width.h"

#include <doctest/doctest.h>

#include <fmt/format.h>

#include "ir/text/text.h"

using namespace ir;

namespace {

/// The first wide index of a kernel with these statements inside loops over `i` in 1000000, CTAs, and `t` in 256, threads.
std::string wide(const std::string& statements, const std::string& elements = "100") {
  std::string indented;
  for (char c : "\n" + statements) indented += c == '\n' ? std::string("\n      ") : std::string(1, c);
  const Kernel kernel = parseKernel(
      "kernel f on cuda\n  launch 1000000 blocks of 256 threads\n  in x i64[100] align 16\n  in y f32[" + elements +
      "] align 16\n  out z f32[" + elements + "] align 16\n  for i in 1000000 grid\n    for t in 256 thread" + indented + "\n");
  const std::optional<WideIndex> found = findWideIndex(kernel);
  return found ? fmt::format("{}: {} to {}", toText(found->index), found->bounds.least, found->bounds.most) : "none";
}

std::string store(const std::string& offset) { return "lanes l in 1\n  z[" + offset + "] = f32(1)"; }

}  // namespace

TEST_CASE("an offset is an index, and so is all that it is made of") {
  CHECK(wide(store("i*2147 + t")) == "none");
  CHECK(wide(store("i*2148 + t")) == "i0*2148 + i1: 0 to 2147998107");
  CHECK(wide(store("i*4000%100")) == "i0*4000: 0 to 3999996000");
  CHECK(wide(store("floordiv(i*4000 - 1, 100)")) == "i0*4000 - 1: -1 to 3999995999");
  CHECK(wide(store("where(i*4000 < 100, t, 0)")) == "i0*4000: 0 to 3999996000");
  CHECK(wide(store("min(t, 3000000000)")) == "3000000000: 3000000000 to 3000000000");
  CHECK(wide("lanes l in 1\n  z[t] = y[i*4000]") == "i0*4000: 0 to 3999996000");
  CHECK(wide("for k in 3000000000 serial\n  lanes l in 1\n    z[0] = f32(1)") == "i2: 0 to 3000000000");
}

TEST_CASE("the last lane of a vector is an index, and so are the bounds of the lanes") {
  const auto vectors = [](const std::string& lanes, const std::string& offset) {
    return wide("lanes l in 4" + lanes + "\n  z[" + offset + "] x4 = f32(1)");
  };
  CHECK(vectors("", "i*2147 + t*1889 + 4") == "none");
  CHECK(vectors("", "i*1000 + 1147484644") == "none");
  CHECK(vectors("", "i*1000 + 1147484645") == "i0*1000 + 1147484645: 1147484645 to 2147483648");
  CHECK(vectors(" active 4000000000 - i*4000", "0") == "4000000000 - i0*4000: 4000 to 4000000000");
}

TEST_CASE("a condition holds for the indices below it, and is one itself") {
  CHECK(wide("if i < 1000\n  lanes l in 1\n    z[i*4000] = f32(1)") == "none");
  CHECK(wide("if (t == 0) & (i <= 999)\n  lanes l in 1\n    z[i*4000 + t*9000000] = f32(1)") == "none");
  CHECK(wide("if i < 999000\n  lanes l in 1\n    z[0] = f32(1)\nelse\n  lanes m in 1\n    z[(i - 999000)*4000] = f32(1)") ==
        "none");
  CHECK(wide("if i*4000 < 1000\n  lanes l in 1\n    z[0] = f32(1)") == "i0*4000: 0 to 3999996000");
}

TEST_CASE("the offset of a masked load is an index wherever its mask is false, too; the mask is a value") {
  CHECK(wide("lanes l in 1\n  z[t] = y[t if i < 1000 else f32(0)]") == "none");
  CHECK(wide("lanes l in 1\n  z[t] = y[t if i*4000 < 1000 else f32(0)]") == "none");
  CHECK(wide("lanes l in 1\n  z[t] = y[i*4000 if i < 1000 else f32(0)]") == "i0*4000: 0 to 3999996000");
  CHECK(wide("lanes l in 1\n  z[t] = y[t if x[i*4000] < 9 else f32(0)]") == "i0*4000: 0 to 3999996000");
}

TEST_CASE("what is computed with has all of its bits, where it is no index") {
  CHECK(wide("lanes l in 1\n  z[0] = f32(i*4000)") == "none");
  CHECK(wide("lanes l in 1\n  z[0] = where(i*4000 == x[t], f32(1), f32(2))") == "none");
  CHECK(wide("lanes l in 1\n  z[0] = y[where(x[t] == x[0], 1, 2)]", "3000000000") == "none");
  CHECK(wide("if x[t] < 5\n  lanes l in 1\n    z[0] = f32(1)") == "none");
}

TEST_CASE("what arithmetic leads from to an offset is a loaded index; what is compared alone is none") {
  const auto areCompared = [](const std::string& offset) {
    const Kernel kernel = parseKernel(
        "kernel f on cuda\n  launch 1 blocks of 32 threads\n  in x i64[100] align 16\n  in y f32[100] align 16\n"
        "  out z f32[100] align 16\n  for t in 32 thread\n    lanes l in 1\n      z[t] = y[" +
        offset + "]\n");
    const auto& lanes = std::get<Lanes>(std::get<For>(kernel.body.front().node).body.front().node);
    const Expr* choice = lanes.stores.front().value->src[0];
    return LoadedIndices(kernel).areCompared(choice->src[0]);
  };
  CHECK(areCompared("where(t < 5, t, 0)"));
  CHECK(areCompared("where(x[t] < 0, x[t] + 5, x[t])"));
  CHECK_FALSE(areCompared("where(x[t] < x[0], 5, t)"));
  CHECK_FALSE(areCompared("where(max(x[t], 3) == 3, 5, t)"));
}

TEST_CASE("CPUs divide positions as indices, values they do not") {
  const auto cpu = [](const std::string& value) {
    const Kernel kernel = parseKernel("kernel f on cpu\n  launch 1000000 tasks, 1 at a time\n  out z i64[1] align 1\n" +
                                      std::string("  for i in 1000000 task\n    lanes l in 1\n      z[0] = ") + value + "\n");
    const std::optional<WideIndex> found = findWideIndex(kernel);
    return found ? toText(found->index) : "none";
  };
  CHECK(cpu("i*4000") == "none");
  CHECK(cpu("i*2000%7") == "none");
  CHECK(cpu("i*4000%7") == "i0*4000");
  CHECK(cpu("(i - 1)*4000%7") == "none");
}

TEST_CASE("an index that is loaded is one of the buffer's") {
  CHECK(wide("lanes l in 1\n  z[0] = y[x[t]]") == "none");
  CHECK(wide("lanes l in 1\n  z[0] = y[min(max(x[t], 0), 99)]") == "none");
  CHECK(wide("lanes l in 1\n  z[0] = y[x[t]]", "3000000000") == "b0[i1]: 0 to 3000000000");
  CHECK(wide("lanes l in 1\n  z[0] = y[x[t]*10]") == "b0[i1]*10: -21474836480 to 21474836470");
  CHECK(wide("if x[t] < 5\n  lanes l in 1\n    z[0] = y[x[t]]").starts_with("b0[i1]: -9223372036854775808"));
}
