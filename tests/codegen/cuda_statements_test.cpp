// What the CUDA printer makes of single statements over register arrays: their places in vectors, and accumulation.
#include <doctest/doctest.h>

#include "ir/error.h"
#include "ir/text/text.h"
#include "tests/cuda_program.h"
#include "tests/refusal.h"
#include "tests/targets.h"

namespace {

/// The statement of a kernel of one thread over local arrays: r is f32[16] in vectors of 4, s f32[4], n i64[4], p b8[1].
std::string statement(const std::string& text) {
  std::string indented = "    ";
  for (const char c : text) indented += c == '\n' ? std::string("\n    ") : std::string(1, c);
  const std::string all = tests::cudaProgram(ir::parseKernel(R"(kernel k on cuda
  launch 4 blocks of 1 threads
  index32
  in  self f32[64] align 16
  out out0 f32[64] align 16
  private r f32[16] lanes 4
  private s f32[4]
  private n i64[4]
  private p b8[1]
  for i0 in 4 grid
)" + indented + "\n"),
                                             tests::hopper())
                              .source;
  const std::string start = "= blockIdx.x;\n";
  const std::string body = all.substr(all.rfind(start) + start.size());
  return body.substr(0, body.size() - 2);
}

TEST_CASE("offsets into vectors are taken apart") {
  CHECK(statement("for i1 in 3 unrolled\n  lanes l0 in 1\n    r[i1*4 + 6] = s[i1]") == R"(#pragma unroll
  for (i32 i0 = 0; i0 < 3; ++i0) {
    r[i0 + 1][2] = s[i0];
  }
)");
  CHECK(statement("for i1 in 2 unrolled\n  for i2 in 2 unrolled\n    lanes l0 in 2\n      r[i1*8 + i2*2] x2 = s[i2*2] x2") ==
        R"(#pragma unroll
  for (i32 i0 = 0; i0 < 2; ++i0) {
#pragma unroll
    for (i32 i1 = 0; i1 < 2; ++i1) {
#pragma unroll
      for (i32 lane = 0; lane < 2; ++lane) {
        r[i0 * 2][i1 * 2 + lane] = s[i1 * 2 + lane];
      }
    }
  }
)");
  CHECK(statement("for i1 in 5 unrolled\n  lanes l0 in 1\n    r[i1*3] = s[0]") == R"(#pragma unroll
  for (i32 i0 = 0; i0 < 5; ++i0) {
    r[i0 * 3 / 4u][i0 * 3 % 4u] = s[0];
  }
)");
}

TEST_CASE("lanes accumulate each into its own element, or as a tree into one") {
  CHECK(statement("lanes l0 in 4\n  r[4] x4 mul= self[i0*4] x4 - f32(1)") ==
        R"(  const auto self_in = load<4, 16>(self + block * 4);
#pragma unroll
  for (i32 lane = 0; lane < 4; ++lane) {
    r[1][lane] *= self_in[lane] - 1.0f;
  }
)");
  CHECK(statement("lanes l0 in 4\n  s[2] min= r[8] x4\n  p[0] or= isnan(r[8] x4)\n  n[0] add= i64(r[8] x4)") ==
        R"(  Vec<bool, 4> p_lanes;
  Vec<i64, 4> n_lanes;
#pragma unroll
  for (i32 lane = 0; lane < 4; ++lane) {
    p_lanes[lane] = math::isnan(r[2][lane]);
    n_lanes[lane] = i64(r[2][lane]);
  }
  s[2] = combine<Min>(s[2], r[2]);
  p = combine<Or>(p, p_lanes);
  n[0] = combine<Add>(n[0], n_lanes);
)");
}

TEST_CASE("one lane, or lanes that are not all active, accumulate one after another") {
  CHECK(statement("lanes l0 in 1\n  p[0] and= r[0] < r[1]\n  n[0] mul= i64(3)\n  s[2] add= r[3]") ==
        "  p &= r[0][0] < r[0][1];\n  n[0] = math::mul(n[0], i64(3));\n  s[2] += r[0][3];\n");
  CHECK(statement("lanes l0 in 4 from i0 active 3\n  s[0] max= self[i0*4] x4") == R"(#pragma unroll
  for (i32 lane = 0; lane < 4; ++lane) {
    if (lane >= block && lane < 3) {
      const f32 self_in = self[block * 4 + lane];
      s[0] = math::max(s[0], self_in);
    }
  }
)");
}

TEST_CASE("some lanes of a few whole vectors of registers are stored two at once, of many one by one") {
  const auto stores = [](int count) {
    std::string text = "lanes l0 in 4 from i0 active 3";
    for (int i = 0; i < count; ++i)
      text += "\n  out0[i0*8 + " + std::to_string(4 * i) + "] x4 = r[" + std::to_string(4 * i % 16) + "] x4";
    return statement(text);
  };
  CHECK(stores(2) == R"(  const i32 o0 = block * 8;
  const i32 o1 = o0 + 4;
  storeLanes<16>(out0 + o0, r[0], block, 3);
  storeLanes<16>(out0 + o1, r[1], block, 3);
)");
  CHECK(stores(5).find("storeLanes") == std::string::npos);
}

TEST_CASE("register arrays that a statement reads and writes are copied first") {
  CHECK(statement("lanes l0 in 4\n  r[l0] = r[3 - l0]") == R"(  Vec<f32, 4> r_in;
#pragma unroll
  for (i32 lane = 0; lane < 4; ++lane) {
    r_in[lane] = r[0][3 - lane];
  }
#pragma unroll
  for (i32 lane = 0; lane < 4; ++lane) {
    r[0][lane] = r_in[lane];
  }
)");
}

TEST_CASE("halves are combined in f32, and rounded") {
  const std::string source = tests::cudaProgram(ir::parseKernel(R"(kernel k on cuda
  launch 1 blocks of 1 threads
  index32
  in    self f16[1] align 2
  inout x    f16[1] align 2
  for i0 in 1 grid
    lanes l0 in 1
      x[0] add= self[0]
)"),
                                                tests::hopper())
                                 .source;
  CHECK(source.find("x[0] = combined<Add>(x[0], ") != std::string::npos);
}

}  // namespace
