// What the CUDA printer makes of local arrays, combinations and barriers. runtime/nvrtc_reduction_test.cpp compiles
// these kernels, gpu/reduction_test.cpp runs them.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "codegen/cuda/prelude.h"
#include "ir/text/text.h"
#include "ir/verify/verify.h"
#include "tests/cuda_program.h"
#include "tests/reduction_kernels.h"
#include "tests/targets.h"

namespace {

/// The source after the prelude.
std::string source(const ir::Kernel& kernel) {
  ir::verify(kernel);
  return std::string(codegen::withoutPrelude(tests::cudaProgram(kernel, tests::hopper()).source).substr(1));
}

/// What stands between two texts of a source, the first one included.
std::string between(const std::string& text, const std::string& first, const std::string& last) {
  const size_t begin = text.find(first);
  REQUIRE(begin != std::string::npos);
  return text.substr(begin, text.find(last, begin) - begin);
}

TEST_CASE("softmax: a row is held as halves, vectors are moved whole, a warp combines by shuffles") {
  CHECK(source(tests::rowSoftmax()) == R"(extern "C" __global__ void __launch_bounds__(128, 1)
softmax(
    const f16* __restrict__ self,  // f16[512, 512]
    f16* __restrict__ out0) {      // f16[512, 512]
  Vec<f16, 8> held[2];
  f32 top;
  f32 total;
  const i32 block = blockIdx.x;
  const i32 thread = threadIdx.x;
  top = -math::infinity();
#pragma unroll
  for (i32 i0 = 0; i0 < 2; ++i0) {
    const auto self_in = load<8, 16>(self + (block * 4 + i32(thread / 32u)) * 512 + (i0 * 32 + i32(thread % 32u)) * 8);
    held[i0] = self_in;
  }
#pragma unroll
  for (i32 i0 = 0; i0 < 2; ++i0) {
    Vec<f32, 8> top_lanes;
#pragma unroll
    for (i32 lane = 0; lane < 8; ++lane) {
      top_lanes[lane] = f32(held[i0][lane]);
    }
    top = combine<Max>(top, top_lanes);
  }
  Group<32>::combine<Max>(top);
  total = 0.0f;
#pragma unroll
  for (i32 i0 = 0; i0 < 2; ++i0) {
    Vec<f32, 8> total_lanes;
#pragma unroll
    for (i32 lane = 0; lane < 8; ++lane) {
      total_lanes[lane] = fast::exp(f32(held[i0][lane]) - top);
    }
    total = combine<Add>(total, total_lanes);
  }
  Group<32>::combine<Add>(total);
#pragma unroll
  for (i32 i0 = 0; i0 < 2; ++i0) {
    Vec<f16, 8> out0_out;
#pragma unroll
    for (i32 lane = 0; lane < 8; ++lane) {
      out0_out[lane] = f16(fast::div(fast::exp(f32(held[i0][lane]) - top), total));
    }
    store<16>(out0 + (block * 4 + i32(thread / 32u)) * 512 + (i0 * 32 + i32(thread % 32u)) * 8, out0_out);
  }
}
)");
}

TEST_CASE("a CTA combines all items of a Combine with one barrier") {
  const std::string text = source(tests::rowMoments());
  CHECK(text.starts_with("extern \"C\" __global__ void __launch_bounds__(256, 4)\n"));
  CHECK(text.find("  __shared__ alignas(16) f32 sum_partials[8];\n  __shared__ alignas(16) f32 squares_partials[8];\n") !=
        std::string::npos);
  CHECK(between(text, "  Group<", "  if (") == R"(  Group<256, 1, 1, 256>::give<Add>(sum, sum_partials);
  Group<256, 1, 1, 256>::give<Add>(squares, squares_partials);
  __syncthreads();
  Group<256, 1, 1, 256>::take<Add>(sum, sum_partials);
  Group<256, 1, 1, 256>::take<Add>(squares, squares_partials);
)");
}

TEST_CASE("a cluster: its peers have started before anything is written to them; nobody waits before the end") {
  const std::string text = source(tests::columnSum());
  CHECK(text.starts_with("extern \"C\" __global__ void __launch_bounds__(256, 1) __cluster_dims__(4)\n"));
  CHECK(between(text, "  clusterArrive", "#pragma") == R"(  clusterArrive();
  const i32 block = blockIdx.x / 4;
  const i32 rank = blockIdx.x % 4;
  const i32 thread = threadIdx.x;
)");
  CHECK(text.find("      acc[lane] += f32(self_in[lane]);\n") != std::string::npos);
  CHECK(text.substr(text.find("  Group<4, 8>")) == R"(  Group<4, 8>::combine<Add>(acc);
  if (i32(thread % 32u) < 8) {
    store<16>(tile + i32(thread / 32u) * 64 + i32(thread % 8u) * 8, acc);
  }
  __syncthreads();
  const i32 o0 = i32(thread % 4u) * 128;
  const i32 o1 = thread / 4u;
  const f32 tile_in = tile[o0 + o1];
  const f32 tile_in1 = tile[o0 + 64 + o1];
  column = tile_in + tile_in1;
  clusterWait();
  Group<4, 1, 4, 256>::give<Add>(column, column_partials);
  clusterBarrier();
  Group<4, 1, 4, 256>::take<Add>(column, column_partials);
  if (rank < 1 && i32(thread % 4u) < 1) {
    out0[block * 64 + i32(thread / 4u)] = f16(column);
  }
}
)");
}

TEST_CASE("ptxas is told how many CTAs a multiprocessor gets, where these are few") {
  const auto bounds = [](const ir::Kernel& kernel, int processors) {
    ir::Target target = tests::hopper();
    target.processors = processors;
    return between(std::string(codegen::withoutPrelude(tests::cudaProgram(kernel, target).source)), "__launch_bounds__", "\n");
  };
  const ir::Kernel rows = tests::rowSoftmax();  // 128 CTAs of 128 threads
  CHECK(bounds(rows, 128) == "__launch_bounds__(128, 1)");
  CHECK(bounds(rows, 127) == "__launch_bounds__(128, 2)");
  CHECK(bounds(rows, 25) == "__launch_bounds__(128)");
  const ir::Kernel large = tests::combineKernel({.threads = 64, .ctas = 8});
  CHECK(bounds(large, 132).starts_with("__launch_bounds__(128, 2)"));
}

TEST_CASE("what follows the grid is done by the CTA that comes last; the workspace holds global arrays and the count of CTAs") {
  const std::string text = source(tests::fullSum());
  CHECK(text.find("    u8* workspace) {               // 768 bytes\n") != std::string::npos);
  CHECK(text.find("  f32* const sums = reinterpret_cast<f32*>(workspace);\n") != std::string::npos);
  CHECK(text.find("    total = combine<Add>(total, self_in);\n") != std::string::npos);
  CHECK(between(text, "    sums[block]", "  Group<") == R"(    sums[block] = total;
  }
  // The CTA that is done last goes on; it sees what all of them wrote.
  if (!isLastCta(workspace + 512)) return;
  total = 0.0f;
  if (thread < 128) {
    const f32 sums_in = sums[thread];
    total += sums_in;
  }
)");
  CHECK(tests::cudaProgram(tests::fullSum(), tests::hopper()).workspaceBytes == 768);
}

TEST_CASE("sums lie in the workspace, which starts as zeros; threads add to them at once") {
  const std::string text = source(ir::parseKernel(R"(kernel f on cuda
  launch 2 blocks of 64 threads
  in x f32[512] align 16
  out y f32[4] align 16
  sums total f32[4]
  for b in 2 grid
    for t in 64 thread
      lanes l in 4
        total[l] atomic add= x[(b*64 + t)*4] x4
  for t in 64 thread
    if t < 4
      lanes k in 1
        y[t] = total[t]
        total[t] = f32(0)
)"));
  CHECK(text.find("  f32* const total = reinterpret_cast<f32*>(workspace);\n") != std::string::npos);
  CAPTURE(text);
  CHECK(text.find("atomicAdd(&total[lane], x_in[lane]);\n") != std::string::npos);
  CHECK(text.find("    total[thread] = 0.0f;\n") != std::string::npos);
}

TEST_CASE("between two grid loops all CTAs wait for each other") {
  const ir::KernelSource program = tests::cudaProgram(tests::waitingSum(), tests::hopper());
  CHECK(program.waitsForGrid);
  CHECK(program.workspaceBytes == 33024);
  CHECK(between(source(tests::waitingSum()), "  sums[block", "  total = 0") ==
        "  sums[block * 64 + thread] = total;\n  gridBarrier(workspace + 32896);\n");
  CHECK_FALSE(tests::cudaProgram(tests::fullSum(), tests::hopper()).waitsForGrid);
}

TEST_CASE("shared memory beyond 48 KiB is asked for") {
  const ir::KernelSource program = tests::cudaProgram(tests::largeTile(), tests::hopper());
  CHECK(program.dynamicSharedBytes == 128 << 10);
  const std::string text = source(tests::largeTile());
  CHECK(text.find("  alignas(16) extern __shared__ u8 shared[];\n  f32* const tile = reinterpret_cast<f32*>(shared);\n") !=
        std::string::npos);
}

/// The body of a kernel of two arrays in shared memory and these loops over 64 threads, each of one statement.
std::string loops(const std::vector<std::string>& statements) {
  std::string text = R"(kernel k on cuda
  launch 1 blocks of 64 threads
  index32
  in  self f32[64] align 4
  out out0 f32[64] align 4
  private x f32[1]
  shared a f32[64]
  shared b f32[64]
  for i0 in 1 grid
)";
  for (const std::string& statement : statements)
    text += "    for i1 in 64 thread\n      lanes l0 in 1\n        " + statement + "\n";
  const std::string all = tests::cudaProgram(ir::parseKernel(text), tests::hopper()).source;
  const std::string start = "= threadIdx.x;\n";
  std::string body = all.substr(all.rfind(start) + start.size());
  for (size_t at; (at = body.find("  const f32")) != std::string::npos;) body.erase(at, body.find('\n', at) + 1 - at);
  return body;
}

TEST_CASE("a barrier stands only where threads meet in memory") {
  const std::string fill = "a[i1] = self[i1]";
  const std::string look = "x[0] = a[63 - i1]";
  SUBCASE("written, then read") { CHECK(loops({fill, look}) == "  a[thread] = self_in;\n  __syncthreads();\n  x = a_in;\n}\n"); }
  SUBCASE("read, then overwritten") {
    CHECK(loops({look, fill}) == "  x = a_in;\n  __syncthreads();\n  a[thread] = self_in;\n}\n");
  }
  SUBCASE("one barrier orders all that came before") {
    CHECK(loops({fill, "b[i1] = self[i1]", look, "out0[i1] = b[63 - i1]"}) ==
          "  a[thread] = self_in;\n  b[thread] = self_in1;\n  __syncthreads();\n  x = a_in;\n  out0[thread] = b_in;\n}\n");
  }
  SUBCASE("what only one thread sees, or nobody writes, needs none") {
    CHECK(loops({"x[0] = self[i1]", "x[0] max= self[63 - i1]", "out0[i1] = x[0]"}) ==
          "  x = self_in;\n  x = math::max(x, self_in1);\n  out0[thread] = x;\n}\n");
  }
}

TEST_CASE("copies to shared memory are asynchronous, and awaited by the barrier before who reads them") {
  const auto kernel = [](const std::string& type, const std::string& copies, const std::string& uses) {
    return source(ir::parseKernel(fmt::format(R"(kernel k on cuda
  launch 1 blocks of 64 threads
  index32
  in  self {0}[512] align 16
  out out0 {0}[512] align 16
  shared a {0}[512]
  for i0 in 1 grid
    for i1 in 64 thread
      lanes l0 in {1}
    for i2 in 64 thread
      lanes l1 in {2}
)",
                                              type, copies, uses)));
  };
  const std::string vectors =
      kernel("f16", "8\n        a[i1*8] x8 = self[i1*8] x8", "8\n        out0[i2*8] x8 = a[504 - i2*8] x8");
  CHECK(between(vectors, "  copyAsync", "  const i32") ==
        "  copyAsync<16>(a + o0, self + o0);\n  awaitCopies();\n  __syncthreads();\n");
  const std::string words = kernel("f32", "1\n        a[i1] x1 = self[i1] x1", "1\n        out0[i2] x1 = a[63 - i2] x1");
  CHECK(between(words, "  copyAsync", "  const") ==
        "  copyAsync<4>(a + thread, self + thread);\n  awaitCopies();\n  __syncthreads();\n");

  SUBCASE("not where they are too small for that, or change what they copy") {
    const std::string halves = kernel("f16", "1\n        a[i1] x1 = self[i1] x1", "1\n        out0[i2] x1 = a[63 - i2] x1");
    CHECK(halves.find("copyAsync") == std::string::npos);
    const std::string negated = kernel("f32", "1\n        a[i1] x1 = -self[i1] x1", "1\n        out0[i2] x1 = a[63 - i2] x1");
    CHECK(negated.find("copyAsync") == std::string::npos);
  }
  SUBCASE("nor where the same loop over threads reads what others copy") {
    const std::string read =
        kernel("f32", "1\n        a[i1] x1 = self[i1] x1\n      lanes l2 in 1\n        out0[i1 + 64] x1 = a[63 - i1] x1",
               "1\n        out0[i2] x1 = a[63 - i2] x1");
    CHECK(read.find("copyAsync") == std::string::npos);
    CHECK(read.find("awaitCopies") == std::string::npos);
  }
  SUBCASE("a thread awaits its own without a barrier, and only once") {
    const std::string read =
        kernel("f32",
               "1\n        a[i1] x1 = self[i1] x1\n      lanes l2 in 1\n        out0[i1 + 64] x1 = a[i1] x1\n"
               "      lanes l3 in 1\n        out0[i1 + 128] x1 = a[i1] x1",
               "1\n        out0[i2] x1 = self[63 - i2] x1");
    CHECK(between(read, "  copyAsync", "  const f32 self_in") == R"(  copyAsync<4>(a + thread, self + thread);
  awaitCopies();
  const f32 a_in = a[thread];
  out0[thread + 64] = a_in;
  const f32 a_in1 = a[thread];
  out0[thread + 128] = a_in1;
)");
  }
}

TEST_CASE("loops over what a thread copied in loops over the same axes await one group of copies after another") {
  const auto kernel = [](const std::string& loops) {
    return source(ir::parseKernel(fmt::format(R"(kernel k on cuda
  launch 1 blocks of 64 threads
  index32
  in  self f32[512] align 16
  out out0 f32[512] align 16
  shared a f32[512]
  for i0 in 1 grid
    for i1 in 64 thread
      for i2 in 2 serial
        for i3 in 4 serial
          lanes l0 in 1
            a[(i2*4 + i3)*64 + i1] x1 = self[(i2*4 + i3)*64 + i1] x1
{})",
                                              loops)));
  };
  const std::string same = kernel(R"(      for i2 in 2 serial
        for i3 in 4 serial
          lanes l1 in 1
            out0[(i2*4 + i3)*64 + i1] x1 = a[(i2*4 + i3)*64 + i1] x1
)");
  CHECK(between(same, "  commitCopies", "  const i32 o0 = (i0 * 4 + i1) * 64 + thread;\n      const") == R"(  commitCopies();
    }
  }
  for (i32 i0 = 0; i0 < 2; ++i0) {
    for (i32 i1 = 0; i1 < 4; ++i1) {
      awaitCopies<7>((1 - i0) * 4 + 3 - i1);
    )");
  const std::string others = kernel(R"(      for i4 in 8 serial
        lanes l1 in 1
          out0[i4*64 + i1] x1 = a[(floordiv(i4, 4)*4 + i4%4)*64 + i1] x1
)");
  CHECK(others.find("copyAsync<4>") == std::string::npos);
}

TEST_CASE("a loop around loops over threads: barriers order an iteration and the one before it, too") {
  const std::string text = source(ir::parseKernel(R"(kernel k on cuda
  launch 1 blocks of 64 threads
  index32
  in  self f32[4, 64] align 4
  out out0 f32[4, 64] align 4
  private x f32[1]
  shared a f32[64]
  for i0 in 1 grid
    for i1 in 4 serial
      for i2 in 64 thread
        lanes l0 in 1
          a[i2] = self[i1*64 + i2]
      for i2 in 64 thread
        lanes l1 in 1
          x[0] = a[63 - i2]
      combine 64 threads: max x
      for i2 in 64 thread
        lanes l2 in 1
          out0[i1*64 + i2] = x[0]
)"));
  CHECK(between(text, "  for (", "}\n}") == R"(  for (i32 i0 = 0; i0 < 4; ++i0) {
    const f32 self_in = self[i0 * 64 + thread];
    a[thread] = self_in;
    __syncthreads();
    const f32 a_in = a[63 - thread];
    x = a_in;
    Group<64, 1, 1, 64>::give<Max>(x, x_partials);
    __syncthreads();
    Group<64, 1, 1, 64>::take<Max>(x, x_partials);
    out0[i0 * 64 + thread] = x;
  )");
}

}  // namespace
