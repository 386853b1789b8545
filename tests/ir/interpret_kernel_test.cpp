#include <doctest/doctest.h>

#include <cmath>

#include "ir/interpret/interpret.h"
#include "ir/text/text.h"
#include "tests/refusal.h"

using namespace ir;

namespace {

using Doubles = std::vector<double>;

Doubles counting(int64_t count) {
  Doubles values;
  for (int64_t i = 0; i < count; ++i) values.push_back(static_cast<double>(i));
  return values;
}

/// What a kernel leaves in y, its second parameter, when its first is f32 x that counts from 0.
Doubles run(const std::string& text) {
  const Kernel kernel = parseKernel(text);
  std::vector<Memory> memory{{DType::F32, counting(kernel.params[0].buffer.type.storageElements())},
                             Memory::zeros(DType::F32, kernel.params[1].buffer.type.storageElements())};
  interpret(kernel, memory);
  return std::get<Doubles>(memory[1].data);
}

/// What 2 blocks of 4 threads leave, of which each has an x and a y; the rest of the header and the statements follow.
std::string cuda(const std::string& rest) {
  return "kernel f on cuda\n  launch 2 blocks of 4 threads\n  in x f32[8] align 4\n  out y f32[8] align 4\n" + rest;
}

std::string refusal(const std::string& text) {
  return tests::refusal(ErrorKind::Internal, [&] { run(text); });
}

}  // namespace

TEST_CASE("each thread has registers of its own, which keep what one loop wrote for the next") {
  CHECK(run(cuda(R"(  private held f32[1]
  for b in 2 grid
    for t in 4 thread
      lanes l in 1
        held[0] = x[b*4 + t] + f32(1)
    for t in 4 thread
      lanes l in 1
        y[b*4 + t] = held[0]
)")) == Doubles{1, 2, 3, 4, 5, 6, 7, 8});
}

TEST_CASE("threads and tasks accumulate in one element atomically, or not at all") {
  const auto added = [](const std::string& how) {
    return cuda("  private held f32[1]\n  for b in 2 grid\n    for t in 4 thread\n      lanes l in 2\n        y[t%2*4] " + how +
                "= x[b*4 + t]\n");
  };
  const auto inOut = [](std::string text) { return text.replace(text.find("out y"), 5, "inout y"); };
  CHECK(run(inOut(added("atomic add"))) == Doubles{24, 0, 0, 0, 32, 0, 0, 0});
  CHECK(refusal(inOut(added("add"))).find("with no barrier in between") != std::string::npos);
  const std::string tasks =
      "kernel f on cpu\n  launch 2 tasks, 1 at a time\n  in x f32[8] align 4\n  inout y f32[8] align 4\n  for i in 2 task\n"
      "    lanes l in 4\n      y[0] ";
  CHECK(run(tasks + "atomic max= x[i*4 + l]\n") == Doubles{7, 0, 0, 0, 0, 0, 0, 0});
  CHECK(refusal(tasks + "max= x[i*4 + l]\n").find("with no barrier in between") != std::string::npos);
}

TEST_CASE("threads see in shared arrays what others wrote in an earlier loop") {
  CHECK(run(cuda(R"(  shared tile f32[4]
  for b in 2 grid
    for t in 4 thread
      lanes l in 1
        tile[t] = x[b*4 + t]
    for t in 4 thread
      lanes l in 1
        y[b*4 + t] = tile[3 - t]
)")) == Doubles{3, 2, 1, 0, 7, 6, 5, 4});
}

TEST_CASE("accumulation: vectors lane by lane, lanes that share an element, and only the lanes that are active") {
  const auto accumulated = [](const std::string& lanes, const std::string& store) {
    return run(
        "kernel f on cpu\n  launch 1 tasks, 1 at a time\n  in x f32[8] align 4\n  out y f32[4] align 4\n"
        "  private sum f32[4] lanes 4\n  lanes l in 4\n    sum[0] x4 = f32(l)\n  for i in 2 unrolled\n    " +
        lanes + "\n      " + store + "\n  lanes l in 4\n    y[0] x4 = sum[0] x4\n");
  };
  CHECK(accumulated("lanes l in 4", "sum[0] x4 add= x[i*4] x4") == Doubles{4, 7, 10, 13});
  CHECK(accumulated("lanes l in 4", "sum[0] x4 min= f32(2) - x[i*4] x4") == Doubles{-2, -3, -4, -5});
  CHECK(accumulated("lanes l in 4", "sum[2] max= x[i*4] x4") == Doubles{0, 1, 7, 3});
  CHECK(accumulated("lanes l in 4", "sum[l%2] add= x[i*4] x4") == Doubles{12, 17, 2, 3});
  CHECK(accumulated("lanes l in 4 from 1 active 3", "sum[0] x4 add= x[i*4] x4") == Doubles{0, 7, 10, 3});
  CHECK(accumulated("lanes l in 4 from 5 active -2", "sum[0] x4 add= x[i*4] x4") == Doubles{0, 1, 2, 3});
}

TEST_CASE("all lanes are read before one is written") {
  CHECK(run("kernel f on cpu\n  launch 1 tasks, 1 at a time\n  in x f32[4] align 4\n  out y f32[4] align 4\n"
            "  private held f32[4] lanes 4\n  lanes l in 4\n    held[0] x4 = x[0] x4\n"
            "  lanes l in 4\n    held[3 - l] = held[0] x4\n  lanes l in 4\n    y[0] x4 = held[0] x4\n") == Doubles{3, 2, 1, 0});
}

TEST_CASE("a statement that exchanges the rows and columns of a square is known as one") {
  const auto kernel = [](const std::string& place) {
    return "kernel f on cpu\n  launch 1 tasks, 1 at a time\n  in x f32[16] align 4\n  out y f32[16] align 4\n"
           "  private held f32[16] lanes 4\n  lanes l in 16\n    held[0] x16 = x[0] x16\n"
           "  lanes l in 16\n    held[0] x16 = held[" +
           place + "]\n  lanes l in 16\n    y[0] x16 = held[0] x16\n";
  };
  const auto side = [&](const std::string& place) {
    const Kernel parsed = parseKernel(kernel(place));
    return transposedSide(parsed, std::get<Lanes>(parsed.body[1].node));
  };
  CHECK(side("l%4*4 + floordiv(l, 4)") == 4);
  CHECK(side("l%2*8 + floordiv(l, 2)") == 0);
  CHECK(side("l") == 0);
  CHECK(run(kernel("l%4*4 + floordiv(l, 4)")) == Doubles{0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15});
}

TEST_CASE("a combination of neighbours, of threads that lie apart, and of several arrays") {
  const auto combined = [](const std::string& combine) {
    return run(
        cuda("  private top f32[1]\n  private pair f32[2]\n  for b in 2 grid\n    for t in 4 thread\n      lanes l in 1\n"
             "        top[0] = x[b*4 + t]\n      lanes v in 2\n        pair[v] = x[b*4 + t] * f32(v*2 - 1)\n    " +
             combine + "\n    for t in 4 thread\n      lanes l in 1\n        y[b*4 + t] = top[0] + pair[0] + pair[1]\n"));
  };
  CHECK(combined("combine 4 threads: add top") == Doubles{6, 6, 6, 6, 22, 22, 22, 22});
  CHECK(combined("combine 2 threads: add top") == Doubles{1, 1, 5, 5, 9, 9, 13, 13});
  CHECK(combined("combine 2 threads stride 2: add top") == Doubles{2, 4, 2, 4, 10, 12, 10, 12});
  CHECK(combined("combine 1 threads: add top") == counting(8));
  CHECK(combined("combine 2 threads: max top, max pair") == Doubles{2, 2, 4, 4, 6, 6, 8, 8});  // 1 - 0 + 1, 3 - 2 + 3, ...
}

TEST_CASE("a combination before each thread: what those of lower numbers held, beside the total") {
  const Kernel kernel = parseKernel(R"(kernel f on cuda
  launch 1 blocks of 4 threads
  in  x i64[4] align 8
  out y i64[4] align 8
  out z i64[4] align 8
  private total i64[1]
  private start i64[1]
  for b in 1 grid
    for t in 4 thread
      lanes l in 1
        total[0] = x[t]
        start[0] = 100
    combine 2 threads stride 2: add total before start
    for t in 4 thread
      lanes l in 1
        y[t] = total[0]
        z[t] = start[0]
)");
  std::vector<Memory> memory{
      {DType::I64, std::vector<int64_t>{1, 2, 3, 4}}, Memory::zeros(DType::I64, 4), Memory::zeros(DType::I64, 4)};
  interpret(kernel, memory);
  CHECK(std::get<std::vector<int64_t>>(memory[1].data) == std::vector<int64_t>{4, 6, 4, 6});
  CHECK(std::get<std::vector<int64_t>>(memory[2].data) == std::vector<int64_t>{100, 100, 101, 102});
}

TEST_CASE("clusters: their CTAs have shared arrays of their own, and combine their private arrays") {
  CHECK(run(R"(kernel f on cuda
  launch 2 clusters of 2 blocks of 2 threads
  in  x f32[8] align 4
  out y f32[8] align 4
  private sum f32[1]
  shared tile f32[2]
  for g in 2 grid
    for c in 2 cluster
      for t in 2 thread
        lanes l in 1
          sum[0] = x[g*4 + c*2 + t]
          tile[t] = x[g*4 + c*2 + t]
    combine 2 threads of 2 blocks: add sum
    for c in 2 cluster
      for t in 2 thread
        lanes l in 1
          sum[0] add= tile[1 - t] * f32(100)
      combine 2 threads: max sum
      for t in 2 thread
        lanes l in 1
          y[g*4 + c*2 + t] = sum[0]
)") == Doubles{106, 106, 306, 306, 522, 522, 722, 722});
}

TEST_CASE("statements after the loop over blocks or tasks run once and see what all left in global arrays") {
  CHECK(run(cuda(R"(  private sum f32[1]
  global part f32[2]
  for b in 2 grid
    for t in 4 thread
      lanes l in 1
        sum[0] = x[b*4 + t]
    combine 4 threads: add sum
    for t in 4 thread
      if t == 0
        lanes l in 1
          part[b] = sum[0]
      lanes l in 1
        y[b*4 + t] = f32(0)
  for t in 4 thread
    lanes l in 1
      y[t] = part[0] * f32(t) + part[1]
)")) == Doubles{22, 28, 34, 40, 0, 0, 0, 0});
  CHECK(run(R"(kernel f on cpu
  launch 4 tasks, 2 at a time
  in  x f32[16] align 4
  out y f32[1]  align 4
  private sum f32[1]
  global part f32[4]
  for i in 4 task
    lanes l in 1
      sum[0] = f32(0)
    lanes v in 4
      sum[0] add= x[i*4] x4
    lanes l in 1
      part[i] = sum[0]
  lanes l in 1
    sum[0] = f32(0)
  for i in 4 serial
    lanes l in 1
      sum[0] add= part[i]
  lanes l in 1
    y[0] = sum[0]
)") == Doubles{120});
}

TEST_CASE("a loop over blocks after another one sees what all blocks left in global arrays") {
  CHECK(run(cuda(R"(  global part f32[8]
  for b in 2 grid
    for t in 4 thread
      lanes l in 1
        part[b*4 + t] = x[b*4 + t]
  for c in 2 grid
    for t in 4 thread
      lanes l in 1
        y[c*4 + t] = part[7 - c*4 - t]
)")) == Doubles{7, 6, 5, 4, 3, 2, 1, 0});
}

TEST_CASE("sums: zeros at first, to which all threads of all blocks add, and zeros again in the end") {
  const std::string add =
      "  sums total f32[2]\n  for b in 2 grid\n    for t in 4 thread\n      lanes l in 1\n"
      "        total[b] atomic add= x[b*4 + t]\n      lanes l in 1\n        total[1] atomic add= f32(1)\n";
  const std::string read =
      "  for t in 4 thread\n    if t < 2\n      lanes l in 1\n        y[t] = total[t]\n        total[t] = f32(0)\n";
  CHECK(run(cuda(add + read)) == Doubles{6, 30, 0, 0, 0, 0, 0, 0});
  CHECK(refusal(cuda(add)) == "the kernel leaves total[0], which is not 0");
  CHECK(refusal(cuda(add + "      lanes l in 1\n        y[t] = total[b]\n" + read)) ==
        "addition of total[0] in thread 1, which thread 0 reads with no barrier in between");
  CHECK(
      refusal(cuda("  sums total f32[2]\n  for b in 2 grid\n    for t in 4 thread\n      lanes l in 1\n        y[t] = total[0]\n"
                   "      lanes l in 1\n        total[0] atomic add= x[t]\n")) ==
      "read of total[0] in thread 1, which thread 0 adds to with no barrier in between");
}

TEST_CASE("what is stored to a local array is rounded to its dtype") {
  CHECK(run("kernel f on cpu\n  launch 1 tasks, 1 at a time\n  in x f32[1] align 4\n  out y f32[1] align 4\n"
            "  private held f16[1]\n  lanes l in 1\n    held[0] = f16(2048)\n  lanes l in 1\n    held[0] add= f16(1)\n"
            "  lanes l in 1\n    y[0] = f32(held[0])\n") == Doubles{2048});
}

TEST_CASE("it is noticed when what nobody wrote is read") {
  const std::string write = "      lanes l in 1\n        held[0] = x[t]\n";
  const std::string read = "    for t in 4 thread\n      lanes l in 1\n        y[b*4 + t] = held[0]\n";
  const std::string begin = "  private held f32[2]\n  for b in 2 grid\n    for t in 4 thread\n";
  CHECK(refusal(cuda(begin + "      if t != 2\n  " + write.substr(0, 20) + "  " + write.substr(20) + read)) ==
        "read of held[0] in thread 2, which is undefined");
  CHECK(refusal(cuda(begin + "      if b == 0\n  " + write.substr(0, 20) + "  " + write.substr(20) + read)) ==
        "read of held[0] in thread 0, which is undefined");  // each iteration begins with nothing
  CHECK(refusal(cuda(begin + "      if t != 2\n  " + write.substr(0, 20) + "  " + write.substr(20) +
                     "    combine 2 threads: add held\n" + read)) == "read of held[0] in thread 2, which is undefined");
  CHECK(refusal(cuda(begin + "      lanes l in 1\n        held[0] add= x[t]\n" + read)) ==
        "read of held[0] in thread 0, which is undefined");
  CHECK(refusal(cuda(begin + "      lanes l in 1\n        held[2] = x[t]\n" + read)) == "write of held[2], which has 2 elements");
  CHECK(refusal(cuda(begin + write + "  for t in 4 thread\n    lanes l in 1\n      y[t] = held[0]\n")) ==
        "read of held[0] in thread 0, which is undefined");  // after the loop they are other threads
}

TEST_CASE("it is noticed when what threads do depends on who comes first") {
  const auto inThread = [](const std::string& statements) {
    return refusal(
        cuda("  shared tile f32[5]\n  global all f32[5]\n  for b in 2 grid\n    for t in 4 thread\n      lanes l in 1\n" +
             statements));
  };
  const std::string next = "    for t in 4 thread\n      lanes l in 1\n";
  const std::string fill = "        tile[t] = x[t]\n";
  CHECK(inThread(fill + next + "        y[t] = tile[3 - t]\n") == "nothing was refused");
  CHECK(inThread(fill + "      lanes l in 1\n        y[t] = tile[t]\n") == "nothing was refused");
  CHECK(inThread(fill + "      if t == 2\n        lanes l in 1\n          y[t] = tile[1]\n") ==
        "read of tile[1] in thread 2, which thread 1 writes with no barrier in between");
  CHECK(inThread(fill + next + "        tile[t] = tile[3 - t]\n") ==
        "read of tile[1] in thread 2, which thread 1 writes with no barrier in between");  // thread 0 wrote what thread 3 wrote
                                                                                           // before
  CHECK(inThread(fill + next + "        tile[t + 1] = tile[t]\n") ==
        "read of tile[1] in thread 1, which thread 0 writes with no barrier in between");
  CHECK(inThread(fill + next + "        y[t] = tile[2]\n      lanes l in 1\n        tile[2] = x[t]\n") ==
        "read of tile[2] in thread 1, which thread 0 writes with no barrier in between");
  CHECK(inThread(fill + next + "        y[t] = tile[max(t - 1, 0)]\n      lanes l in 1\n        tile[t] = x[t]\n") ==
        "read of tile[0] in thread 1, which thread 0 writes with no barrier in between");
  CHECK(inThread(fill + next + "        y[t] = tile[min(t + 1, 3)]\n      lanes l in 1\n        tile[t] = x[t]\n") ==
        "write of tile[1] in thread 1, which thread 0 reads with no barrier in between");
  CHECK(inThread("        tile[0] = x[t]\n      lanes l in 1\n        tile[0] add= x[t]\n") ==
        "write of tile[0] in thread 1, which thread 0 reads with no barrier in between");
  CHECK(inThread("        all[b] = x[t]\n" + next + "        y[t] = all[0]\n") ==
        "write of all[0] in thread 1, which thread 0 writes with no barrier in between");
}
