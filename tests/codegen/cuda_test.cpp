// What the CUDA printer makes of each piece of a kernel. Whole kernels are on the golden pages; runtime/nvrtc_test.cpp compiles
// them.
#include "codegen/cuda/emit.h"

#include <doctest/doctest.h>

#include "codegen/cuda/expr.h"
#include "codegen/cuda/prelude.h"
#include "ir/text/text.h"
#include "tests/cuda_program.h"
#include "tests/refusal.h"
#include "tests/targets.h"

namespace {

/// The source after the prelude.
std::string source(const std::string& kernelText) {
  const ir::KernelSource program = tests::cudaProgram(ir::parseKernel(kernelText), tests::hopper());
  return std::string(codegen::withoutPrelude(program.source).substr(1));
}

/// The statements of a kernel with one statement inside its grid and thread loops, not indented.
std::string statements(const std::string& params, const std::string& statement, const std::string& flags = "  index32\n") {
  std::string indented = "      ";
  for (char c : statement) indented += c == '\n' ? std::string("\n      ") : std::string(1, c);
  const std::string text = source("kernel k on cuda\n  launch 4 blocks of 32 threads\n" + flags + params +
                                  "  for i0 in 4 grid\n    for i1 in 32 thread\n" + indented + "\n");
  const std::string start = "= threadIdx.x;\n";
  const size_t begin = text.find(start) + start.size();
  std::string body;
  for (size_t at = begin; at < text.size() && text[at] != '}';) {
    const size_t end = text.find('\n', at);
    const std::string line = text.substr(at, end - at);
    body += (line.starts_with("  ") ? line.substr(2) : line) + "\n";
    at = end + 1;
  }
  return body;
}

TEST_CASE("a kernel: launch bounds, parameters with their types, block and thread") {
  CHECK(source(R"(kernel copy on cuda
  launch 4 blocks of 32 threads
  index32
  in  self f16[2, 512] align 16
  out out0 f16[2, 512] align 16
  for i0 in 4 grid
    for i1 in 32 thread
      lanes l0 in 8
        out0[(i0*32 + i1)*8] x8 = self[(i0*32 + i1)*8] x8
)") == R"(extern "C" __global__ void __launch_bounds__(32, 1)
copy(
    const f16* __restrict__ self,  // f16[2, 512]
    f16* __restrict__ out0) {      // f16[2, 512]
  const i32 block = blockIdx.x;
  const i32 thread = threadIdx.x;
  const i32 o0 = (block * 32 + thread) * 8;
  const auto self_in = load<8, 16>(self + o0);
  store<16>(out0 + o0, self_in);
}
)");
}

TEST_CASE("all that a kernel's source says") {
  const ir::KernelSource program = tests::cudaProgram(ir::parseKernel(R"(kernel fill on cuda
  launch 2 blocks of 64 threads
  index32
  out out0 f32[128] align 4
  for i0 in 2 grid
    for i1 in 64 thread
      lanes l0 in 1
        out0[i0*64 + i1] = f32(0.5)
)"),
                                                      tests::hopper());
  CHECK(program.name == "fill");
  CHECK(program.backend == ir::Backend::Cuda);
  CHECK(program.arch == "sm_90");
  CHECK(program.launch.grid == 2);
  CHECK(program.launch.block == 64);
  CHECK(program.params.size() == 1);
}

TEST_CASE("one lane is scalar code") {
  CHECK(statements("  in  self f32[128] align 4\n  out out0 f32[128] align 4\n",
                   "lanes l0 in 1\n  out0[i0*32 + i1] x1 = exp(self[i0*32 + i1] x1)") == R"(const i32 o0 = block * 32 + thread;
const f32 self_in = self[o0];
out0[o0] = math::exp(self_in);
)");
}

TEST_CASE("integer constants have all of their 64 bits, as values and in offsets") {
  const std::string params = "  in  self i64[128] align 8\n  out out0 i64[128] align 8\n";
  CHECK(
      statements(params, "lanes l0 in 1\n  out0[i0*32 + i1] = max(self[i0*32 + i1] + 9007199254740993, -9223372036854775808)") ==
      R"(const i32 o0 = block * 32 + thread;
const i64 self_in = self[o0];
out0[o0] = math::max(math::add(self_in, i64(9007199254740993)), i64(9223372036854775808u));
)");
  CHECK(statements(params, "lanes l0 in 1\n  out0[i0*32 + i1] = self[max(i0*32 + i1, -9223372036854775808)]", "") ==
        R"(const i64 o0 = block * 32 + thread;
const i64 self_in = self[math::max(i64(o0), i64(i64(9223372036854775808u)))];
out0[o0] = self_in;
)");
}

TEST_CASE("accesses are as wide as 16 bytes, the alignment and the vector allow") {
  const auto access = [](const std::string& type, int align, int lanes) {
    const std::string width = std::to_string(lanes);
    const std::string text = statements("  in  self " + type + "[1024] align " + std::to_string(align) + "\n  out out0 " + type +
                                            "[1024] align " + std::to_string(align) + "\n",
                                        "lanes l0 in " + width + "\n  out0[(i0*32 + i1)*" + width + "] x" + width +
                                            " = self[(i0*32 + i1)*" + width + "] x" + width);
    const size_t at = text.find("load<");
    return text.substr(at, text.find('(', at) - at);
  };
  CHECK(access("f16", 16, 8) == "load<8, 16>");
  CHECK(access("f32", 16, 8) == "load<8, 16>");
  CHECK(access("f16", 4, 8) == "load<8, 4>");
  CHECK(access("f16", 16, 4) == "load<4, 8>");
  CHECK(access("b8", 16, 8) == "load<8, 8>");
  CHECK(access("f64", 16, 2) == "load<2, 16>");
}

TEST_CASE("all loads come before what is computed from them; what is the same for all lanes is computed once") {
  CHECK(statements("  in  self f16[1024] align 16\n  in  scale f32[4] align 4\n  out out0 f16[1024] align 16\n",
                   "lanes l0 in 8\n"
                   "  out0[(i0*32 + i1)*8] x8 = f16(f32(self[(i0*32 + i1)*8] x8) * exp(scale[i0]))") ==
        R"(const i32 o0 = (block * 32 + thread) * 8;
const auto self_in = load<8, 16>(self + o0);
const f32 scale_in = scale[block];
const f32 t0 = fast::exp(scale_in);
Vec<f16, 8> out0_out;
#pragma unroll
for (i32 lane = 0; lane < 8; ++lane) {
  out0_out[lane] = f16(f32(self_in[lane]) * t0);
}
store<16>(out0 + o0, out0_out);
)");
}

TEST_CASE("lanes with offsets of their own are gathered first") {
  CHECK(statements("  in  self f32[128, 4] align 4\n  out out0 f32[512] align 16\n",
                   "lanes l0 in 4\n  out0[(i0*32 + i1)*4] x4 = self[(i0*32 + i1) + l0*128]") == R"(Vec<f32, 4> self_in;
#pragma unroll
for (i32 lane = 0; lane < 4; ++lane) {
  self_in[lane] = self[block * 32 + thread + lane * 128];
}
Vec<f32, 4> out0_out;
#pragma unroll
for (i32 lane = 0; lane < 4; ++lane) {
  out0_out[lane] = self_in[lane];
}
store<16>(out0 + (block * 32 + thread) * 4, out0_out);
)");
}

TEST_CASE("a partly active vector reads and writes element by element") {
  CHECK(statements("  in  self f32[512] align 16\n  out out0 f32[512] align 16\n",
                   "lanes l0 in 4 active 3\n  out0[(i0*32 + i1)*4] x4 = -self[(i0*32 + i1)*4] x4") ==
        R"(const i32 o0 = (block * 32 + thread) * 4;
#pragma unroll
for (i32 lane = 0; lane < 4; ++lane) {
  if (lane < 3) {
    const f32 self_in = self[o0 + lane];
    out0[o0 + lane] = -self_in;
  }
}
)");
}

TEST_CASE("a buffer that is read and written is no const, and is read before it is written") {
  const std::string text = source(R"(kernel k on cuda
  launch 1 blocks of 32 threads
  index32
  inout self f32[32] align 4
  out   out0 f32[32] align 4
  for i0 in 1 grid
    for i1 in 32 thread
      lanes l0 in 1
        self[i1] = self[i1] + f32(1)
        out0[i1] = self[i1]
)");
  CHECK(text.find("    f32* __restrict__ self,") != std::string::npos);
  CHECK(text.find("  const f32 self_in = self[thread];\n  self[thread] = self_in + 1.0f;\n  out0[thread] = self_in;\n") !=
        std::string::npos);
}

TEST_CASE("conditions and loops") {
  CHECK(statements("  in  self f32[4096] align 4\n  out out0 f32[4096] align 4\n",
                   "if i0*32 + i1 < 100\n"
                   "  for i2 in 32 serial\n"
                   "    lanes l0 in 1\n"
                   "      out0[(i0*32 + i1)*32 + i2] = self[(i0*32 + i1)*32 + i2]\n"
                   "else\n"
                   "  if i0*32 + i1 == 100\n"
                   "    lanes l0 in 1\n"
                   "      out0[0] = self[0]") == R"(if (block * 32 + thread < 100) {
  for (i32 i0 = 0; i0 < 32; ++i0) {
    const i32 o0 = (block * 32 + thread) * 32 + i0;
    const f32 self_in = self[o0];
    out0[o0] = self_in;
  }
} else if (block * 32 + thread == 100) {
  const f32 self_in = self[0];
  out0[0] = self_in;
}
)");
}

TEST_CASE("indices: unsigned division where nothing is negative, 64 bits where 32 do not do") {
  const std::string params = "  in  self f32[4096] align 4\n  out out0 f32[4096] align 4\n";
  const auto offset = [&](const std::string& index, const std::string& flags) {
    const std::string text = statements(params, "lanes l0 in 1\n  out0[i0*32 + i1] = self[" + index + "]", flags);
    const std::string start = "self_in = self[";
    const size_t at = text.find(start) + start.size();
    return text.substr(at, text.find("];", at) - at);
  };
  const std::string in32 = "  index32\n";
  CHECK(offset("i1 % 7 * 3 + floordiv(i1, 7)", in32) == "i32(thread % 7u) * 3 + i32(thread / 7u)");
  CHECK(offset("floordiv(i1, 8) % 2", in32) == "thread / 8u % 2u");
  CHECK(offset("floordiv(i1 - 3, 2) + 2", in32) == "math::floordiv(i32(thread - 3), i32(2)) + 2");
  CHECK(offset("max(i1 - 3, 0)", in32) == "math::max(i32(thread - 3), i32(0))");
  CHECK(offset("31 - i1", in32) == "31 - thread");
  CHECK(offset("i1 % 7", "") == "thread % 7ull");
}

/// The value stored, printed; x and y are loaded from `type`.
std::string value(const std::string& type, const std::string& expression, const std::string& out = "", bool relaxed = false) {
  const std::string to = out.empty() ? type : out;
  std::string text = expression;
  for (const char* name : {"x", "y"})
    for (size_t at = 0; (at = text.find(name, at)) != std::string::npos; ++at) {
      const bool isInWord =
          (at > 0 && std::isalnum(text[at - 1]) != 0) || (at + 1 < text.size() && std::isalnum(text[at + 1]) != 0);
      if (!isInWord) text.insert(at + 1, "[i1]");
    }
  const std::string body =
      statements("  in  x " + type + "[32] align 1\n  in  y " + type + "[32] align 1\n  out out0 " + to + "[32] align 1\n",
                 "lanes l0 in 1\n  out0[i1] = " + text, relaxed ? "  index32\n  relaxed math\n" : "  index32\n");
  const std::string start = "out0[thread] = ";
  const size_t at = body.find(start) + start.size();
  std::string printed = body.substr(at, body.find(";\n", at) - at);
  for (const char* name : {"x_in", "y_in"})
    for (size_t i = 0; (i = printed.find(name, i)) != std::string::npos;) printed.erase(i + 1, 3);
  return printed;
}

TEST_CASE("64-bit values are compared with all of their bits, in values and in offsets") {
  CHECK(value("i64", "where(x == y, i1, 7)") == "i64(x == y ? thread : 7)");
  CHECK(value("i64", "where((x < y) & (i1 < 5), i1, 7)") == "i64(x < y && thread < 5 ? thread : 7)");
  const std::string params = "  in  self i64[32] align 8\n  in  top i64[1] align 8\n  out out0 i64[32] align 8\n";
  CHECK(statements(params, "lanes l0 in 1\n  out0[i1] = self[where(self[i1] == top[0], i1, 7)]").find("i32(self") ==
        std::string::npos);
}

TEST_CASE("floating point is written as arithmetic, with as few parentheses as keep its order") {
  CHECK(value("f32", "x + y * x") == "x + y * x");
  CHECK(value("f32", "(x + y) * x") == "(x + y) * x");
  CHECK(value("f32", "x - (y - x)") == "x - (y - x)");
  CHECK(value("f32", "x - y - x") == "x - y - x");
  CHECK(value("f32", "x / (y * x)") == "x / (y * x)");
  CHECK(value("f32", "-(x + y)") == "-(x + y)");
  CHECK(value("f32", "where(x < y, x, f32(-1))") == "math::where(x < y, x, -1.0f)");
  CHECK(value("f64", "max(x, f64(0.1))") == "math::max(x, 0.1)");
  CHECK(value("f32", "x * f32(inf) + f32(-inf)") == "x * math::infinity() + (-math::infinity())");
  CHECK(value("f32", "isnan(x)", "b8") == "math::isnan(x)");
  CHECK(value("f32", "(x < y) | (y < x)", "b8") == "(x < y) | (y < x)");
  CHECK(value("f32", "b8(x) ^ b8(y)", "b8") == "(x != 0) != (y != 0)");
}

TEST_CASE("f16 and bf16 are storage: each operation is done in f32 and rounded") {
  CHECK(value("f16", "x + y") == "f16(f32(x) + f32(y))");
  CHECK(value("bf16", "exp(x)") == "bf16(math::exp(f32(x)))");
  CHECK(value("f16", "x < y", "b8") == "f32(x) < f32(y)");
}

TEST_CASE("relaxed math takes the short forms") {
  CHECK(value("f16", "f16(exp(f32(x)))", "", true) == "f16(fast::exp(f32(x)))");
  CHECK(value("f16", "f16(f32(x) / f32(y))", "", true) == "f16(fast::div(f32(x), f32(y)))");
  CHECK(value("f16", "f16(f32(1) / f32(x))", "", true) == "f16(fast::reciprocal(f32(x)))");
  CHECK(value("f16", "f16(sin(f32(x)))", "", true) == "f16(math::sin(f32(x)))");
  CHECK(value("f64", "exp(x)", "", true) == "math::exp(x)");
}

TEST_CASE("functions take the short forms where only a rounding to 11 bits is made of them, also by way of an array") {
  const std::string params = "  in  x f32[32] align 1\n  out out0 f32[32] align 1\n  out out1 bf16[32] align 1\n";
  const std::string kept = params + "  private kept f32[1]\n", keep = "lanes l0 in 1\n  kept[0] = tanh(x[i1])\n";
  const auto has = [](const std::string& text, const char* form) { return text.find(form) != std::string::npos; };
  const std::string both =
      statements(params, "lanes l0 in 1\n  out0[i1] = exp(x[i1])\n  out1[i1] = bf16(tanh(x[i1]) / exp(x[i1]))");
  CHECK(has(both, "math::exp("));
  CHECK(has(both, "fast::tanh("));
  CHECK(has(both, "fast::div("));
  CHECK_FALSE(has(both, "fast::exp("));
  CHECK(has(statements(kept, keep + "lanes l1 in 1\n  out1[i1] = bf16(kept[0])"), "fast::tanh("));
  CHECK(has(statements(kept, keep + "lanes l1 in 1\n  out0[i1] = kept[0]"), "math::tanh("));
  CHECK(has(statements(kept, keep + "lanes l1 in 1\n  out1[i1] = where(kept[0] < f32(0.5), bf16(1), bf16(2))"), "math::tanh("));
  CHECK(has(statements(params, "lanes l0 in 1\n  out1[i1] = bf16(tanh(x[i1]))", "  index32\n  exact math\n"), "math::tanh("));
}

TEST_CASE("integers wrap") {
  CHECK(value("i64", "x + y * i64(3)") == "math::add(x, math::mul(y, i64(3)))");
  CHECK(value("i32", "x & y") == "x & y");
  CHECK(value("u8", "x & y") == "u8(x & y)");
  CHECK(value("u8", "floordiv(x, y)") == "math::floordiv(x, y)");
  CHECK(value("b8", "x & not(y)") == "x & !y");
}

TEST_CASE("casts") {
  CHECK(value("f32", "i64(x)", "i64") == "i64(x)");
  CHECK(value("f32", "u8(x)", "u8") == "u8(i32(x))");
  CHECK(value("f32", "b8(x + y)", "b8") == "x + y != 0");
  CHECK(value("i64", "f16(x)", "f16") == "f16(f32(x))");
  CHECK(value("bf16", "f16(x)", "f16") == "f16(f32(x))");
  CHECK(value("f16", "f64(x)", "f64") == "f64(f32(x))");
}

TEST_CASE("names that C++ or the text itself uses get an underscore") {
  const std::string text = source(R"(kernel k on cuda
  launch 1 blocks of 32 threads
  index32
  in  load f32[32] align 4
  out t0   f32[32] align 4
  for i0 in 1 grid
    for i1 in 32 thread
      lanes l0 in 1
        t0[i1] = load[i1]
)");
  CHECK(text.find("const f32* __restrict__ load_,") != std::string::npos);
  CHECK(text.find("t0_[thread] = load__in;") != std::string::npos);
}

TEST_CASE("refusals") {
  CHECK(tests::refusal(ir::ErrorKind::Unsupported, [] { codegen::cudaType(ir::DType::C64); }) == "no CUDA code for complex64");
}

}  // namespace
