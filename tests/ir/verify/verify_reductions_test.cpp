#include <doctest/doctest.h>

#include <functional>

#include "ir/text/text.h"
#include "ir/verify/verify.h"
#include "tests/ir/verify/refusals.h"

using namespace ir;

namespace {

using tests::fine, tests::ofKernel, tests::ofLoops;

/// The refusal of loops `f` over rows of 3 of a 2x3 input x, with a full output y, a row output r and an axis k for reductions.
std::string ofRows(const std::string& body) {
  return ofLoops(
      parseLoops("loops f\n  in x f32[2, 3]\n  out y f32[2, 3]\n  inout r f32[2]\n"
                 "  for i in 2, j in 3 reduce k in 3, m in 2\n" +
                 body));
}

/// The refusal of a value of y, whose row output is fine.
std::string ofValue(const std::string& value) { return ofRows("    y[i*3 + j] = " + value + "\n    r[i] = f32(0)\n"); }
/// The refusal of a store to the row output.
std::string ofRow(const std::string& store) { return ofRows("    y[i*3 + j] = f32(0)\n    " + store + "\n"); }

/// The refusal of a CUDA kernel `f` of 4 blocks of 32 threads (or of 2 clusters of 2 blocks) with an output y of 128 elements,
/// a private array r of two vectors of 4, a shared array s and a global array g, both of 64 elements.
std::string ofCuda(const std::string& statements, const std::string& launch = "4 blocks of 32 threads") {
  return ofKernel(parseKernel("kernel f on cuda\n  launch " + launch +
                              "\n  unused y f32[128] align 16\n"
                              "  private r f32[8] lanes 4\n  shared s f32[64]\n  global g f32[64]\n" +
                              statements));
}
std::string ofClusters(const std::string& statements) { return ofCuda(statements, "2 clusters of 2 blocks of 32 threads"); }

/// The refusal of one store of a thread.
std::string ofStore(const std::string& lanes, const std::string& store) {
  return ofCuda("  for i in 4 grid\n    for t in 32 thread\n      lanes l in " + lanes + "\n        " + store + "\n");
}
/// The refusal of a statement between the loops over threads of a block.
std::string inBlock(const std::string& statement) {
  return ofCuda("  for i in 4 grid\n    for t in 32 thread\n    " + statement + "\n");
}

}  // namespace

TEST_CASE("loops with reductions that keep every rule") {
  CHECK(ofLoops(parseLoops("loops f\n  in x f32[2, 3]\n  out y f32[2, 3]\n  for i in 2, j in 3 reduce k in 3, m in 3\n"
                           "    y[i*3 + j] = x[i*3 + j] / add[k](exp(x[i*3 + k] - max[m](x[i*3 + m])))\n")) == fine);
  CHECK(ofValue("x[i*3 + j] - add[m, k](x[m*3 + k])") == fine);
  CHECK(ofValue("add[m](f32(m) * add[k](x[m*3 + k]))") == fine);
  CHECK(ofValue("add[k](x[i*3 + k]) / add[k](x[i*3 + k] * x[i*3 + k])") == fine);  // beside each other
  CHECK(ofRow("r[i] = add[k](x[i*3 + k])") == fine);
  CHECK(ofRow("r[i] = r[i] * f32(0.5) + add[k](x[i*3 + k])") == fine);
}

TEST_CASE("a reduction binds its axes, for its body alone") {
  CHECK(ofValue("add[k](x[i*3 + k]) + x[k]") == "loops f: the store to y: axis i2 is not bound");
  CHECK(ofValue("add[m](x[k])") == "loops f: the store to y: axis i2 is not bound");
  CHECK(ofValue("add[j](x[j])") == "loops f: the store to y: axis i1 is bound twice");
  CHECK(ofRow("r[i] = add[j](x[j])") == "loops f: the store to r: axis i1 is bound twice");
  CHECK(ofValue("add[k, k](x[k])") == "loops f: the store to y: axis i2 is bound twice");
  CHECK(ofValue("add[k](x[k] - f32(2)*max[m](add[k](x[m*3 + k])))") == "loops f: the store to y: axis i2 is bound twice");
}

TEST_CASE("what a reduction reads stays inside its buffer") {
  CHECK(ofValue("add[k](x[i*3 + k + 1])") == "loops f: the store to y: the load of x goes to 1 to 6 and there are 6 elements");
  CHECK(ofValue("add[m](add[k](x[m*4 + k]))") ==
        "loops f: the store to y: the load of x goes to 0 to 6 and there are 6 elements");
  CHECK(ofValue("add[k](y[k])") == "loops f: the store to y: a load of y, which is not declared as read");
}

TEST_CASE("a store happens once for each point that it depends on") {
  CHECK(ofRow("r[i] = x[i*3 + j]") == "loops f: the store to r stores to an element twice, at i0");
  CHECK(ofRow("r[0] = add[k](x[i*3 + k])") == "loops f: the store to r stores to an element twice, at 0");
  CHECK(ofRow("r[0] = add[m, k](x[m*3 + k])") == fine);
  CHECK(ofRow("r[i + 1] = f32(0)") == "loops f: the store to r goes to 1 to 2 and there are 2 elements");
  CHECK(ofRow("r[add[k](k)] = f32(0)") == "loops f: the store to r is at an offset with a reduction");
}

TEST_CASE("what is stored to in place is read at the same points") {
  CHECK(ofRow("r[i] = add[m](r[m])") == "loops f: r is stored to at i0 and read at i3");
  CHECK(ofRows("    y[i*3 + j] = r[i]\n    r[i] = f32(0)\n") == "loops f: r is stored to at other points than it is read at");
}

TEST_CASE("a scan runs along an axis of the loops") {
  CHECK(ofValue("add[to j](x[i*3 + j])") == fine);
  CHECK(ofValue("add[k](x[i*3 + k]) + add[to i](x[i*3 + j])") == fine);
  CHECK(ofValue("add[k](add[to k](x[i*3 + k]))") == "loops f: the store to y: a scan over axis i2, which is none of the loops");
  CHECK(ofCuda("  for i in 4 grid\n    for t in 32 thread\n      lanes l in 1\n        s[t] = add[to t](f32(1))\n") ==
        "kernel f: the store to s: a scan, which only loops may have");
}

TEST_CASE("kernels with local arrays that keep every rule") {
  CHECK(ofCuda(R"(  for i in 4 grid
    for t in 32 thread
      lanes l in 4
        r[0] x4 = f32(0)
      for u in 2 unrolled
        lanes l in 4
          r[4] x4 add= r[u*4] x4
      lanes l in 4 from t active 64 - t*2
        s[t*2 + l] max= f32(l)
    combine 8 threads stride 4: add r
    combine 32 threads: max r
    for t in 32 thread
      if r[0] < s[t]
        lanes one in 1
          g[i*16] = r[t%8]
  for t in 32 thread
    lanes one in 1
      s[t] = g[t*2]
  combine 2 threads: min r
)") == fine);
  CHECK(ofClusters(R"(  for i in 2 grid
    for c in 2 cluster
      for t in 32 thread
        lanes l in 4
          r[0] x4 = f32(c)
      combine 32 threads: add r
    combine 16 threads of 2 blocks: add r
    for c in 2 cluster
      for t in 32 thread
        lanes one in 1
          g[i] = r[0]
)") == fine);
  CHECK(
      ofKernel(parseKernel("kernel f on cpu\n  launch 4 tasks, 1 at a time\n  private r f32[8] lanes 8\n  global g f32[4]\n"
                           "  for i in 4 task\n    lanes l in 8\n      r[0] x8 = f32(0)\n    lanes one in 1\n      g[i] = r[3]\n"
                           "  lanes m in 4\n    g[0] x4 mul= r[4] x4\n")) ==
      "kernel f: the store to g: the load of r is contiguous and its offset 4 is not always a multiple of 32 bytes");
}

TEST_CASE("accesses to local arrays") {
  CHECK(ofStore("1", "r[t] = f32(0)") == "kernel f: the store to r goes to 0 to 31 and there are 8 elements");
  CHECK(ofStore("4", "r[2] x4 = f32(0)") ==
        "kernel f: the store to r is contiguous and its offset 2 is not always a multiple of 16 bytes");
  CHECK(ofStore("1", "r[2] x1 = f32(0)") == fine);
  CHECK(ofStore("2", "s[t] x2 = f32(0)") ==
        "kernel f: the store to s is contiguous and its offset i1 is not always a multiple of 8 bytes");
  CHECK(ofStore("1", "s[0] = f32(t)") == fine);  // which of them is left is not said
  CHECK(ofStore("1", "s[0] = f16(t)") == "kernel f: the store to s, which is f32, of a value that is f16");
  CHECK(ofStore("1", "y[t] add= f32(0)") == "kernel f: the store to y, which is not declared as written");
  CHECK(ofStore("1", "s[t] and= f32(0)") == "kernel f: the store to s combines f32 by and");
  CHECK(ofStore("4 from s[0]", "r[0] x4 = f32(0)") == "kernel f: the first of the lanes are f32, not i64");
  CHECK(ofStore("4 from 2", "s[l - 2] = f32(0)") == fine);
  CHECK(ofStore("4 from 1", "s[l - 2] = f32(0)") == "kernel f: the store to s goes to -1 to 1 and there are 64 elements");
  CHECK(ofStore("4 from max(2, t)", "s[l*64] = f32(0)") == fine);  // two guards: undecided, so not refused
  CHECK(ofStore("1", "s[0] = add[t](f32(t))") == "kernel f: the store to s: a reduction, which only loops may have");
  CHECK(ofKernel(parseKernel("kernel f on cpu\n  launch 1 tasks, 1 at a time\n  out y f32[4] align 4\n  lanes l in 1\n"
                             "    y[0] add= f32(1)\n")) == "kernel f: the store to y combines with what is not declared as read");
}

TEST_CASE("sums are added to and cleared, in f32, on cuda") {
  const auto ofSums = [](const std::string& store, const std::string& dtype = "f32", const std::string& target = "cuda") {
    const std::string launch = target == "cuda" ? "1 blocks of 32 threads" : "1 tasks, 1 at a time";
    const std::string body = target == "cuda" ? "  for t in 32 thread\n    lanes l in 1\n      " : "  lanes l in 1\n    ";
    return ofKernel(parseKernel("kernel f on " + target + "\n  launch " + launch + "\n  sums total " + dtype + "[2]\n" + body +
                                store + "\n"));
  };
  CHECK(ofSums("total[0] atomic add= f32(1)") == fine);
  CHECK(ofSums("total[0] = f32(0)") == fine);
  CHECK(ofSums("total[0] = f32(1)") == "kernel f: the store to total neither adds to the sums nor clears them");
  CHECK(ofSums("total[0] max= f32(1)") == "kernel f: the store to total neither adds to the sums nor clears them");
  CHECK(ofSums("total[2] atomic add= f32(1)") == "kernel f: the store to total goes to 2 and there are 2 elements");
  CHECK(ofSums("total[0] atomic add= f64(1)", "f64") == "kernel f: the sums total, which are f64, not f32");
  CHECK(ofSums("total[0] = f32(0)", "f32", "cpu") == "kernel f: the sums total on a cpu");
}

TEST_CASE("registers and shared arrays are those of threads") {
  CHECK(inBlock("if r[0] < f32(1)") == "kernel f: a condition: a load of r outside the loops over threads");
  CHECK(inBlock("if s[0] < f32(1)") == "kernel f: a condition: a load of s outside the loops over threads");
  CHECK(inBlock("if g[0] < f32(1)") == fine);
  CHECK(inBlock("lanes l in 1") == "kernel f: lanes that 32 threads carry out alike");
}

TEST_CASE("blocks that wait for each other are resident") {
  const std::string loop = "  for i in 4 grid\n    for t in 32 thread\n      lanes l in 1\n        s[t] = f32(0)\n";
  CHECK(ofCuda(loop + loop, "4 blocks of 32 threads, 1 resident") == fine);
  CHECK(ofCuda(loop + loop) == "kernel f: blocks that wait for each other and need not be resident");
  const std::string between = "  for t in 32 thread\n    lanes l in 1\n      s[t] = f32(0)\n";
  CHECK(ofCuda(loop + between + loop, "4 blocks of 32 threads, 1 resident") ==
        "kernel f: the grid loop comes after other statements");
}

TEST_CASE("combinations") {
  CHECK(inBlock("combine 64 threads: add r") == "kernel f: a combination of 64 threads, 1 apart, of 32");
  CHECK(inBlock("combine 8 threads stride 8: add r") == "kernel f: a combination of 8 threads, 8 apart, of 32");
  CHECK(inBlock("combine 32 threads: add s") == "kernel f: a combination of s, which is no private array");
  CHECK(inBlock("combine 32 threads: add y") == "kernel f: a combination of y, which is no private array");
  CHECK(inBlock("combine 32 threads: or r") == "kernel f: a combination of r, which is f32, by or");
  CHECK(inBlock("combine 32 threads: add r, max r") == "kernel f: r is combined twice at once");
  CHECK(inBlock("combine 32 threads of 2 blocks: add r") == "kernel f: a combination of 2 blocks of 1");
  CHECK(inBlock("for t in 32 thread\n      combine 32 threads: add r") == "kernel f: a combination inside a thread loop");
  CHECK(
      ofKernel(parseKernel("kernel f on cpu\n  launch 1 tasks, 1 at a time\n  private r f32[1]\n  combine 1 threads: add r\n")) ==
      "kernel f: a combination of threads on a cpu");
}

TEST_CASE("clusters") {
  const auto inGrid = [](const std::string& statements) { return ofClusters("  for i in 2 grid\n    " + statements + "\n"); };
  const std::string thread = "for c in 2 cluster\n      for t in 32 thread\n    ";
  CHECK(inGrid(thread) == fine);
  CHECK(inGrid(thread + "for t in 32 thread") == "kernel f: a thread loop outside the cluster loops");
  CHECK(inGrid(thread + "combine 32 threads: add r") == "kernel f: a combination of 1 blocks outside the cluster loops");
  CHECK(inGrid("for c in 2 cluster\n      combine 32 threads of 2 blocks: add r") ==
        "kernel f: a combination of 2 blocks inside the cluster loops");
  CHECK(inGrid("for c in 3 cluster") == "kernel f: the cluster loop has 3 iterations and the launch 2");
  CHECK(inGrid("for c in 2 cluster\n      for d in 2 cluster") == "kernel f: a cluster loop inside a cluster or thread loop");
  CHECK(inGrid("for k in 2 serial") == "kernel f: 2 blocks a cluster and no cluster loop");
  CHECK(ofClusters("  for c in 2 cluster\n") == "kernel f: a cluster loop outside the grid loop");
  CHECK(ofClusters("  for i in 2 grid\n    for c in 2 cluster\n      for t in 32 thread\n  for k in 2 serial\n") ==
        "kernel f: statements after the loop over clusters of 2 blocks");
}

TEST_CASE("persistent clusters: as many blocks as there are, whose threads side by side are combined") {
  const auto isPersistent = [](const std::string& threads) {
    return ofCuda(
        "  for i in 1 grid\n    for c in 40 cluster\n      for t in 32 thread\n    combine " + threads + " of 40 blocks: add r\n",
        "1 persistent clusters of 40 blocks of 32 threads");
  };
  CHECK(isPersistent("32 threads") == fine);
  CHECK(isPersistent("16 threads stride 2") ==
        "kernel f: a combination of threads 2 apart of the 40 blocks of a persistent cluster");
}

TEST_CASE("kernels: local arrays and launches that no text can say, or none should") {
  const Kernel good =
      parseKernel("kernel f on cuda\n  launch 1 blocks of 1 threads\n  private r f32[8] lanes 4\n  combine 1 threads: add r\n");
  const auto refused = [&](const std::function<void(Kernel&)>& change) {
    Kernel kernel = good;
    change(kernel);
    return ofKernel(kernel);
  };
  const auto first = [](Kernel& kernel) -> Combine& { return std::get<Combine>(kernel.body[0].node); };
  CHECK(refused([](Kernel&) {}) == fine);
  CHECK(refused([](Kernel& x) { x.locals[0].buffer.type = TensorType::contiguous(DType::F32, {2, 4}); }) ==
        "kernel f: the local array r is f32[2, 4]");
  CHECK(refused([](Kernel& x) { x.locals[0].lanes = 3; }) == "kernel f: the 8 elements of r in vectors of 3");
  CHECK(refused([](Kernel& x) { x.locals[0].lanes = 0; }) == "kernel f: the 8 elements of r in vectors of 0");
  CHECK(refused([](Kernel& x) { x.locals[0].space = Space::Global; }) == "kernel f: vectors of r, which is no private array");
  CHECK(refused([](Kernel& x) { x.locals.push_back(x.locals[0]); }) == "kernel f: two buffers are called r");
  CHECK(refused([](Kernel& x) { x.locals[0] = {x.locals[0].buffer, Space::Shared}, x.backend = Backend::Cpu; }) ==
        "kernel f: the shared array r on a cpu");
  CHECK(refused([](Kernel& x) { x.launch.cluster = 0; }) == "kernel f: 0 blocks a cluster");
  CHECK(refused([](Kernel& x) { x.launch.isPersistent = true; }) == "kernel f: a persistent cluster of one block");
  CHECK(refused([](Kernel& x) { x.launch.resident = -1; }) == "kernel f: -1 blocks resident");
  CHECK(refused([](Kernel& x) { x.backend = Backend::Cpu, x.launch.resident = 1; }) == "kernel f: blocks and threads on a cpu");
  CHECK(refused([&](Kernel& x) { first(x).items.clear(); }) == "kernel f: a combination of nothing");
  CHECK(refused([&](Kernel& x) { first(x).items[0].local = 1; }) == "kernel f: a combination of buffer 1 of 1");
  CHECK(refused([&](Kernel& x) { first(x).stride = 0; }) == "kernel f: a combination of 1 threads, 0 apart, of 1");
  CHECK(refused([&](Kernel& x) { first(x).items[0].op = Op::Sub; }) == "kernel f: a combination of r, which is f32, by sub");
  CHECK(refused([&](Kernel& x) { first(x).items[0].before = 0; }) == "kernel f: r is combined twice at once");
  CHECK(refused([&](Kernel& x) { first(x).items[0].before = 2; }) == "kernel f: a combination of buffer 2 of 1");
  const auto before = [](Kernel& x, DType dtype) {
    x.locals.push_back({Buffer{"q", TensorType::contiguous(dtype, {8}), -1, true, true}, Space::Private, 4});
    std::get<Combine>(x.body[0].node).items[0].before = 1;
  };
  CHECK(refused([&](Kernel& x) { before(x, DType::F32); }) == fine);
  CHECK(refused([&](Kernel& x) { before(x, DType::F64); }) == "kernel f: a combination of r before q, which is f64[8]");
}
