// Kernels with explicit barriers: what is done without one in between, or before a copy is there, is noticed.
#include <doctest/doctest.h>

#include <fmt/format.h>

#include "ir/interpret/interpret.h"
#include "ir/text/text.h"
#include "ir/verify/verify.h"
#include "tests/refusal.h"

using namespace ir;

namespace {

const std::string fine = "nothing was refused";

/// The refusal of a kernel with an input x and an output y of 16 elements, a private r, shared s of 8 and t of 8 and a global g
/// of 16 elements.
std::string run(const std::string& launch, const std::string& statements) {
  const Kernel kernel = parseKernel("kernel k on cuda\n  launch " + launch +
                                    "\n  explicit barriers\n  in x f32[16] align 16\n  inout y f32[16] align 16\n"
                                    "  private r f32[1]\n  shared s f32[8]\n  shared t f32[8]\n  global g f32[16]\n" +
                                    statements);
  return tests::refusal(ErrorKind::Internal, [&] {
    verify(kernel);
    std::vector<Memory> memory{Memory::zeros(DType::F32, 16), Memory::zeros(DType::F32, 16)};
    interpret(kernel, memory);
  });
}

/// A loop over threads of one statement, `depth` loops deep.
std::string threads(const std::string& store, int count = 8, int depth = 2) {
  return fmt::format("{0}for i in {1} thread\n{0}  lanes l in 1\n{0}    {2}\n", std::string(depth * 2, ' '), count, store);
}

}  // namespace

TEST_CASE("threads of a CTA see what others did before a barrier") {
  const std::string grid = "  for b in 2 grid\n", write = threads("s[i] = x[i]"), read = threads("y[b*8 + i] = s[7 - i]");
  CHECK(run("2 blocks of 8 threads", grid + write + "    barrier block\n" + read) == fine);
  CHECK(run("2 blocks of 8 threads", grid + write + read) ==
        "read of s[7] in thread 0, which thread 7 writes with no barrier in between");
  CHECK(run("2 blocks of 8 threads", grid + write + threads("y[b*8 + i] = s[i]")) == fine);
  CHECK(run("2 blocks of 8 threads", grid + write + threads("s[7 - i] = x[i]") + "    barrier block\n" + read) ==
        "write of s[7] in thread 0, which thread 7 writes with no barrier in between");
}

TEST_CASE("parameters that are written and read are memory like any other") {
  const std::string grid = "  for b in 2 grid\n", write = threads("y[b*8 + i] = x[i]"), read = threads("r[0] = y[b*8 + 7 - i]");
  CHECK(run("2 blocks of 8 threads", grid + write + "    barrier block\n" + read) == fine);
  CHECK(run("2 blocks of 8 threads", grid + write + read) ==
        "read of y[7] in thread 0, which thread 7 writes with no barrier in between");
  CHECK(run("2 blocks of 8 threads", grid + write + "    barrier block\n" + threads("r[0] = y[8 - b*8 + i]")) ==
        "write of y[8] in thread 0 of block 0 in iteration 1, which thread 0 of block 0 in iteration 0 reads with no barrier in "
        "between");
}

TEST_CASE("a copy is there once it is awaited, for other threads after a barrier from then on") {
  const auto copied = [](const std::string& waits) {
    return run("2 blocks of 8 threads",
               "  for b in 2 grid\n    for i in 8 thread\n      lanes l in 1 async\n        s[i] x1 = x[i] x1\n" + waits +
                   threads("y[b*8 + i] = s[7 - i]"));
  };
  CHECK(copied("    await copies\n    barrier block\n") == fine);
  CHECK(copied("    barrier block\n") == "read of s[7], to which a copy is under way");
  CHECK(copied("    barrier block\n    await copies\n") ==
        "read of s[7] in thread 0, which thread 7 writes with no barrier in between");
}

TEST_CASE("groups of copies are awaited one by one, the first ones first") {
  const auto copied = [](const std::string& commit, const std::string& await) {
    return run("2 blocks of 4 threads",
               "  for b in 2 grid\n    for i in 4 thread\n      for k in 2 serial\n        lanes l in 1 async\n"
               "          s[k*4 + i] x1 = x[k*4 + i] x1\n" +
                   commit + "      for k in 2 serial\n" + await +
                   "        lanes l in 1\n          y[b*8 + k*4 + i] = s[k*4 + i]\n");
  };
  const std::string commit = "        commit copies\n";
  CHECK(copied(commit, "        await copies but 1 - k of 1\n") == fine);
  CHECK(copied(commit, "        await copies but 1 of 0\n") == fine);  // more of them
  CHECK(copied(commit, "        await copies but 1 of 1\n") == "read of s[4], to which a copy is under way");
  CHECK(copied("", "        await copies but 1 - k of 1\n") == "read of s[0], to which a copy is under way");
  CHECK(copied("", "        await copies\n") == fine);
}

TEST_CASE("CTAs of a cluster give partial results to others that have started, and take them after a barrier") {
  const auto combined = [](const std::string& start, const std::string& barrier) {
    return run("1 clusters of 2 blocks of 8 threads",
               "  for b in 1 grid\n    for c in 2 cluster\n" + threads("r[0] = x[i]", 8, 3) + start +
                   "    give 8 threads of 2 blocks: add r to s\n" + barrier + "    take 8 threads of 2 blocks: add r from s\n" +
                   "    for c in 2 cluster\n" + threads("y[c*8 + i] = r[0]", 8, 3));
  };
  CHECK(combined("    barrier start\n", "    barrier cluster\n") == fine);
  CHECK(combined("", "    barrier cluster\n") == "partial results are given to blocks that may not have started");
  for (const char* barrier : {"", "    barrier block\n"})
    CHECK(
        combined("    barrier start\n", barrier) ==
        "read of s[1] in thread 0 of block 0 in iteration 0, which thread 0 of block 1 in iteration 0 writes with no barrier in "
        "between");
}

TEST_CASE("the shared memory of a persistent cluster's CTAs is the next one's") {
  const auto repeated = [](const std::string& barrier) {
    return run("2 persistent clusters of 2 blocks of 4 threads", "  for b in 2 grid\n    for c in 2 cluster\n" +
                                                                     threads("s[i] = x[i]", 4, 3) + "      barrier block\n" +
                                                                     threads("y[b*8 + c*4 + i] = s[3 - i]", 4, 3) + barrier);
  };
  CHECK(repeated("    barrier block\n") == fine);
  CHECK(repeated("") == "write of s[0] in thread 0, which thread 3 reads with no barrier in between");
}

TEST_CASE("a barrier of the grid, and the last CTA") {
  const std::string first = "  for b in 2 grid\n" + threads("g[b*8 + i] = x[i]");
  CHECK(run("2 blocks of 8 threads, 1 resident",
            first + "  barrier grid\n  for c in 2 grid\n" + threads("y[c*8 + i] = g[15 - c*8 - i]")) == fine);
  CHECK(run("2 blocks of 8 threads", first + "  barrier last\n" + threads("y[i] = g[15 - i]", 8, 1)) == fine);
  CHECK(run("2 blocks of 8 threads", first + threads("y[i] = g[15 - i]", 8, 1)) ==
        "kernel k: explicit barriers, and none after the grid loop");
}
