// The rules of barriers and asynchronous copies.
#include <doctest/doctest.h>

#include "ir/text/text.h"
#include "ir/verify/verify.h"
#include "tests/ir/verify/refusals.h"

using namespace ir;

namespace {

using tests::fine, tests::ofKernel;

const std::string loop = "    for t in 32 thread\n";

/// The refusal of the statements in the grid loop of a kernel with an input x, private r, shared s and global g.
std::string inGrid(const std::string& statements, const std::string& launch = "2 blocks of 32 threads",
                   const std::string& flag = "  explicit barriers\n") {
  const Kernel kernel = parseKernel("kernel k on cuda\n  launch " + launch + "\n" + flag +
                                    "  in x f32[128] align 16\n  private r f32[1]\n  shared s f32[32]\n  global g f32[128]\n" +
                                    "  for b in 2 grid\n" + statements);
  return ofKernel(kernel);
}
std::string inCluster(const std::string& statements, const std::string& clusters = "clusters") {
  return inGrid("    for c in 2 cluster\n      for t in 32 thread\n" + statements,
                "2 " + clusters + " of 2 blocks of 32 threads");
}

}  // namespace

TEST_CASE("barriers stand where all the threads that they wait for come by") {
  CHECK(inGrid("    barrier block\n" + loop) == fine);
  CHECK(inGrid("    if b == 0\n      barrier block\n" + loop) == fine);
  CHECK(inGrid("    for t in 32 thread\n      barrier block\n") == "kernel k: a barrier inside a thread loop");
  CHECK(inGrid("    if x[b] == f32(0)\n      barrier block\n" + loop) ==
        "kernel k: a barrier under a condition that reads memory");
  CHECK(inGrid("    barrier cluster\n" + loop) ==
        "kernel k: a barrier of a cluster where there is none, or inside the loop over its blocks");
  CHECK(inCluster("      barrier block\n    barrier start\n    barrier cluster\n") == fine);
  CHECK(inCluster("      barrier cluster\n") ==
        "kernel k: a barrier of a cluster where there is none, or inside the loop over its blocks");
  CHECK(inCluster("    barrier start\n", "persistent clusters") == "kernel k: a wait for the start of blocks of no cluster");
  CHECK(inGrid(loop + "    barrier grid\n") == "kernel k: a barrier of the grid, not between two grid loops");
  CHECK(inGrid(loop + "    barrier last\n") == "kernel k: a last block, not after the last grid loop");
  CHECK(inGrid(loop + "  barrier grid\n") == "kernel k: a barrier of the grid, not between two grid loops");
  CHECK(inGrid(loop + "  barrier last\n  for t in 32 thread\n") == fine);
  CHECK(inGrid(loop + "  for t in 32 thread\n") == "kernel k: explicit barriers, and none after the grid loop");
}

TEST_CASE("barriers are all implied, or all explicit") {
  CHECK(inGrid("    barrier block\n" + loop, "2 blocks of 32 threads", "") ==
        "kernel k: a barrier, and barriers that are implied");
  CHECK(inGrid(loop + "    await copies\n", "2 blocks of 32 threads", "") ==
        "kernel k: a wait for copies, and barriers that are implied");
  CHECK(inGrid(loop + "    combine 32 threads: add r\n") == fine);
  CHECK(inCluster("    combine 32 threads of 2 blocks: add r\n") ==
        "kernel k: explicit barriers, and a combination that has its own");
}

TEST_CASE("partial results have an array with room for them") {
  const std::string launch = "2 blocks of 64 threads", threads = "    for t in 64 thread\n";
  CHECK(inGrid(threads + "    give 64 threads: add r to s\n", launch) == fine);
  CHECK(inGrid(threads + "    give 64 threads: add r to g\n", launch) ==
        "kernel k: partial results in g, which is no shared array");
  CHECK(inGrid(threads + "    give 64 threads: add r to x\n", launch) ==
        "kernel k: a combination of x, which is no private array");
  CHECK(inGrid(loop + "    give 1 threads: add r to s\n") == fine);
  CHECK(inCluster("    give 32 threads of 2 blocks: add r to g\n", "persistent clusters") == fine);
  CHECK(inCluster("    give 32 threads of 2 blocks: add r to s\n", "persistent clusters") ==
        "kernel k: partial results in s, which is no global array");
}

TEST_CASE("asynchronous lanes copy a vector to shared memory, and threads await them") {
  const auto copy = [](const std::string& store) {
    return inGrid("    for t in 32 thread\n      lanes l in 1 async\n        " + store + "\n      commit copies\n");
  };
  CHECK(copy("s[t] x1 = x[t] x1") == fine);
  CHECK(copy("s[t] x1 = -x[t] x1") == "kernel k: asynchronous lanes that do more than copy a vector to a shared array");
  CHECK(copy("g[t] x1 = x[t] x1") == "kernel k: asynchronous lanes that do more than copy a vector to a shared array");
  CHECK(inGrid(loop + "    commit copies\n") == "kernel k: a group of copies outside the thread loops");
  CHECK(inGrid(loop + "      await copies but f32(1) of 1\n") == "kernel k: the later copies are f32, not i64");
}
