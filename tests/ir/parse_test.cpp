#include <doctest/doctest.h>

#include "ir/text/text.h"
#include "tests/refusal.h"

using namespace ir;

namespace {

/// The refusal of `line`, line 5 of loops over f32 buffers x and y, an i64 k and axes i and j.
std::string inLoops(const std::string& line) {
  const std::string text = "loops f\n  in x f32[4]\n  inout k i64[4]\n  for i in 4, j in 2\n    " + line + "\n";
  return tests::refusal(ErrorKind::Input, [&] { parseLoops(text); });
}

/// The refusal of the lines of a kernel after the first two.
std::string inKernel(const std::string& lines) {
  const std::string text = "kernel f on cpu\n  launch 1 tasks, 1 at a time\n" + lines;
  return tests::refusal(ErrorKind::Input, [&] { parseKernel(text); });
}

std::string inGraph(const std::string& line) {
  const std::string text = "graph\n  in self f32[4]\n  " + line + "\n";
  return tests::refusal(ErrorKind::Input, [&] { parseGraph(text); });
}

std::string wholeLoops(const std::string& text) {
  return tests::refusal(ErrorKind::Input, [&] { parseLoops(text); });
}

}  // namespace

TEST_CASE("expressions: one mistake a line") {
  CHECK(inLoops("k[i] = ") == "5:12: expected an expression, found the end of the line");
  CHECK(inLoops("k[i] = i +") == "5:15: expected an expression, found the end of the line");
  CHECK(inLoops("k[i] = (i") == "5:14: expected ')', found the end of the line");
  CHECK(inLoops("k[i] = l") == "5:12: expected an axis or a let, found 'l'");
  CHECK(inLoops("k[i] = z[i]") == "5:12: expected a buffer, found 'z'");
  CHECK(inLoops("k[i] = exq(i)") == "5:12: expected a dtype or an operation, found 'exq'");
  CHECK(inLoops("k[i] = i < j < i") == "5:18: expected the end of the line, found '<'");
  CHECK(inLoops("k[i] = i i") == "5:14: expected the end of the line, found 'i'");
  CHECK(inLoops("k[i] = 1.5") == "5:12: expected an integer of 64 bits, found '1.5'");
  CHECK(inLoops("k[i] = 9223372036854775808") == "5:12: expected an integer of 64 bits, found '9223372036854775808'");
  CHECK(inLoops("k[i] = u8(256)") == "5:15: expected a value of u8, found '256'");
  CHECK(inLoops("k[i] = u8(-1)") == "5:16: expected a value of u8, found '1'");
  CHECK(inLoops("k[i] = i32(1.5)") == "5:16: expected a value of i32, found '1.5'");
  CHECK(inLoops("k[i] = f32(1e99)") == "5:16: expected a value of 32 bits, found '1e99'");
  CHECK(inLoops("k[i] = i x8") == "5:14: expected the end of the line, found 'x8'");
  CHECK(inLoops("k[i] = k[i] x8") == "5:17: expected no contiguous access outside lanes, found 'x8'");
  CHECK(inLoops("k[i] = i ? j") == "5:14: expected a word, a number or an operator, found '?'");
  CHECK(inLoops("k[i] = i\t+ j") == "5:13: expected a word, a number or an operator, found the byte 0x09");
  CHECK(inLoops("k[i] = \"i") == "5:12: expected a closing quote, found the end of the line");
}

TEST_CASE("operands that do not fit are the text's mistake") {
  CHECK(inLoops("k[i] = i + x[i]") == "5:14: expected operands that fit, found add of i64 and f32");
  CHECK(inLoops("k[i] = exp(i)") == "5:12: expected operands that fit, found exp does not take i64");
  CHECK(inLoops("k[i] = add(i)") == "5:12: expected operands that fit, found add takes 2 operands, not 1");
  CHECK(inLoops("k[i] = where(i, i, i)") == "5:12: expected operands that fit, found where takes a b8 condition, not i64");
  CHECK(inLoops("k[i] = x[x[i]]") == "5:12: expected operands that fit, found a load's offset is i64, not f32");
  CHECK(inLoops("k[i] = c64(i)") == "5:12: expected operands that fit, found cast of i64 to c64");
}

TEST_CASE("masks: one mistake a line") {
  CHECK(inLoops("k[i] = k[i if i < 2]") == "5:24: expected 'else', found ']'");
  CHECK(inLoops("k[i] = k[i if else 0]") == "5:19: expected an axis or a let, found 'else'");
  CHECK(inLoops("k[i] = k[i else 0]") == "5:16: expected ']', found 'else'");
  CHECK(inLoops("k[i] = k[i if i else 0]") == "5:12: expected operands that fit, found a load's mask is b8, not i64");
  CHECK(inLoops("x[i] = x[i if i < 2 else 0]") == "5:12: expected operands that fit, found a load of f32 or i64");
}

TEST_CASE("reductions: one mistake a line") {
  CHECK(inLoops("k[i] = sum[j](i)") == "5:12: expected an operation that combines values, found 'sum'");
  CHECK(inLoops("k[i] = sub[j](i)") == "5:12: expected an operation that combines values, found 'sub'");
  CHECK(inLoops("k[i] = add[l](i)") == "5:16: expected an axis, found 'l'");
  CHECK(inLoops("k[i] = add[j, 3](i)") == "5:12: expected a buffer, found 'add'");  // so it is no reduction
  CHECK(inLoops("k[i] = add[j](i") == "5:20: expected ')', found the end of the line");
  CHECK(inLoops("k[i] = and[j](x[j])") == "5:12: expected operands that fit, found a reduction of f32 by and");
  CHECK(wholeLoops("loops f\n  in x f32[4]\n  once reduce\n") == "3:14: expected an axis, found the end of the line");
}

TEST_CASE("scans: one mistake a line") {
  CHECK(inLoops("x[i] = add[to l](x[i])") == "5:19: expected an axis, found 'l'");
  CHECK(inLoops("x[i] = sub[to i](x[i])") == "5:12: expected an operation that combines values, found 'sub'");
  CHECK(inLoops("k[i] = logaddexp[to i](k[i])") == "5:12: expected operands that fit, found a scan of i64 by logaddexp");
}

TEST_CASE("nesting is bounded, so that no text exhausts the stack") {
  const std::string open(1000, '(');
  const std::string minus(1000, '-');
  CHECK(inLoops("k[i] = " + open + "i") == "5:212: expected at most 200 operations in one another, found '('");
  CHECK(inLoops("k[i] = " + minus + "i") == "5:212: expected at most 200 operations in one another, found '-'");
  CHECK(inGraph("aten.f(a=" + std::string(1000, '[')) == "3:76: expected at most 64 lists in one another, found '['");
  std::string fors;
  for (int i = 1; i < 100; ++i) fors += std::string(2 * i, ' ') + fmt::format("for i{} in 2 serial\n", i);
  CHECK(inKernel(fors) == "67:131: expected at most 64 statements in one another, found 'for'");
}

TEST_CASE("loops: one mistake a text") {
  CHECK(wholeLoops("") == "1:1: expected 'loops', found the end of the text");
  CHECK(wholeLoops("kernel f") == "1:1: expected 'loops', found 'kernel'");
  CHECK(wholeLoops("loops 3") == "1:7: expected a name, found '3'");
  CHECK(wholeLoops("loops f\n  in x q32[4]\n") == "2:8: expected a dtype, found 'q32'");
  CHECK(wholeLoops("loops f\n  in x f32[-4]\n") == "2:12: expected a size, found '-'");
  CHECK(wholeLoops("loops f\n  in x f32[4] strides (1, 2)\n") == "2:15: expected 1 strides, found 2");
  CHECK(wholeLoops("loops f\n  in x f32[4\n") == "2:13: expected ',', found the end of the line");
  CHECK(
      wholeLoops("loops f\n  in x f32[9000000000, 9000000000, 9000000000]\n") ==
      "2:11: expected sizes, found a tensor of sizes [9000000000, 9000000000, 9000000000] has more elements than 64 bits count");
  CHECK(wholeLoops("loops f\n  in x f32[4]\n") == "3:1: expected a line indented by 2 spaces, found the end of the text");
  CHECK(wholeLoops("loops f\n  while i in 4\n") == "2:3: expected 'for', found 'while'");
  CHECK(wholeLoops("loops f\n  for i in 4, i in 5\n") == "2:15: expected the extent 4 that i has above, found 5");
  CHECK(wholeLoops("loops f\n  for i\n") == "2:8: expected 'in', found the end of the line");
  CHECK(inLoops("i") == "5:5: expected let or a store, found 'i'");
  CHECK(inLoops("let t0 i") == "5:12: expected '=', found 'i'");
  CHECK(inLoops("k[i] = i\n   k[j] = j") == "6:4: expected a line indented by 4 spaces, found 'k'");
  CHECK(inLoops("k[i] = i\n      k[j] = j") == "6:7: expected a line indented by 4 spaces, found 'k'");
  CHECK(inLoops("k[i] = i\nk[j] = j") == "6:1: expected the end of the text, found 'k'");
}

TEST_CASE("kernels: one mistake a text") {
  CHECK(tests::refusal(ErrorKind::Input, [] { parseKernel("kernel f on tpu\n"); }) == "1:13: expected cuda or cpu, found 'tpu'");
  CHECK(tests::refusal(ErrorKind::Input, [] { parseKernel("kernel f on cuda\n  launch 1 blocks of 2048 threads\n"); }) ==
        "2:22: expected a number of threads of at most 1024, found '2048'");
  CHECK(inKernel("  relaxed maths\n") == "3:11: expected 'math', found 'maths'");
  CHECK(inKernel("  in x f32[4]\n") == "3:14: expected 'align', found the end of the line");
  CHECK(inKernel("  in x f32[4] align 0\n") == "3:21: expected an alignment, found '0'");
  CHECK(inKernel("  for i in 4 warp\n") == "3:14: expected grid, cluster, thread, task, serial or unrolled, found 'warp'");
  CHECK(inKernel("  out x f32[4] align 4\n  lanes l in 8\n    x[0] x4 = f32(1)\n") == "5:10: expected 'x8', found 'x4'");
  CHECK(inKernel("  repeat\n") ==
        "3:3: expected for, if, let, lanes, combine, give, take, barrier, commit or await, found 'repeat'");
  CHECK(inKernel("  else\n") == "3:3: expected for, if, let, lanes, combine, give, take, barrier, commit or await, found 'else'");
  CHECK(inKernel("  for i in 4 serial\n      for j in 4 serial\n    for k in 4 serial\n") ==
        "5:5: expected a line indented by 6 spaces, found 'for'");
}

TEST_CASE("local arrays, combinations and accumulation: one mistake a text") {
  CHECK(inKernel("  private f32[4]\n") == "3:14: expected a dtype, found '['");
  CHECK(inKernel("  shared x f32[4] lanes 0\n") == "3:25: expected a number of lanes, found '0'");
  CHECK(inKernel("  global x f32[4] align 4\n") == "3:19: expected the end of the line, found 'align'");
  CHECK(inKernel("  private x f32[4]\n  combine 32 threads\n") == "4:21: expected ':', found the end of the line");
  CHECK(inKernel("  private x f32[4]\n  combine 32 threads: x\n") ==
        "4:23: expected an operation that combines values, found 'x'");
  CHECK(inKernel("  private x f32[4]\n  combine 32 threads: add y\n") == "4:27: expected a buffer, found 'y'");
  CHECK(inKernel("  private x f32[4]\n  combine 2000 threads: add x\n") ==
        "4:11: expected a number of threads of at most 1024, found '2000'");
  CHECK(inKernel("  private x f32[4]\n  lanes l in 1\n    x[0] sub= f32(1)\n") ==
        "5:10: expected an operation that combines values, found 'sub'");
  CHECK(inKernel("  private x f32[4]\n  give 32 threads: add x\n") == "4:25: expected 'to', found the end of the line");
  CHECK(inKernel("  private x f32[4]\n  take 32 threads: add x to x\n") == "4:26: expected 'from', found 'to'");
  CHECK(inKernel("  private x f32[4]\n  combine 32 threads: add x to x\n") == "4:29: expected the end of the line, found 'to'");
  CHECK(inKernel("  out x f32[4] align 4\n  lanes l in 1\n    x[0] atomic = f32(1)\n") ==
        "5:17: expected an operation that combines values, found '='");
  CHECK(inLoops("k[i] sub= i") == "5:10: expected an operation that combines values, found 'sub'");
  CHECK(inLoops("k[i] atomic add= i") == "5:10: expected an operation that combines values, found 'atomic'");  // only lanes are
  CHECK(tests::refusal(ErrorKind::Input, [] { parseKernel("kernel f on cuda\n  launch 1 clusters of 0 blocks\n"); }) ==
        "2:24: expected a number of blocks, found '0'");
}

TEST_CASE("barriers and asynchronous copies: one mistake a text") {
  CHECK(inKernel("  barrier\n") == "3:10: expected block, cluster, start, grid or last, found the end of the line");
  CHECK(inKernel("  barrier warp\n") == "3:11: expected block, cluster, start, grid or last, found 'warp'");
  CHECK(inKernel("  commit\n") == "3:9: expected 'copies', found the end of the line");
  CHECK(inKernel("  commit copies 2\n") == "3:17: expected the end of the line, found '2'");
  CHECK(inKernel("  await all\n") == "3:9: expected 'copies', found 'all'");
  CHECK(inKernel("  await copies but 3\n") == "3:21: expected 'of', found the end of the line");
  CHECK(inKernel("  await copies but 3 of 64\n") == "3:25: expected a number of groups of at most 63, found '64'");
  CHECK(inKernel("  explicit\n") == "3:11: expected 'barriers', found the end of the line");
}

TEST_CASE("graphs: one mistake a line") {
  CHECK(inGraph("aten.f(a=other)") == "3:12: expected a value, found 'other'");
  CHECK(inGraph("out0 = aten.f()") == "3:3: expected a value, found 'out0'");
  CHECK(inGraph("self f32[4] = aten.f()") == "3:3: expected a new name, found 'self'");
  CHECK(inGraph("aten.f(self)") == "3:14: expected '=', found ')'");
  CHECK(inGraph("aten.f(a=)") == "3:12: expected an argument, found ')'");
  CHECK(inGraph("aten.f(a=[1 2])") == "3:15: expected ',', found '2'");
  CHECK(inGraph("aten.f(a=1e999)") == "3:12: expected a value of 64 bits, found '1e999'");
  CHECK(inGraph("aten.f(a=devise(\"x\"))") == "3:12: expected complex, device or ST, found 'devise'");
  CHECK(inGraph("aten.f(a=\"\\xg0\")") == "3:12: expected two hexadecimal digits after \\x, found '\"\\xg0\"'");
  CHECK(inGraph("generator a i64[2]\n  generator b i64[2]") == "4:3: expected one generator, found 'generator'");
  CHECK(inGraph("return out0") == "3:10: expected a value, found 'out0'");
  CHECK(inGraph("aten.f() writes other") == "3:19: expected a value, found 'other'");
  CHECK(inGraph("  aten.f()") == "3:5: expected a line indented by 2 spaces, found 'aten'");
}
