#include "ir/interpret/interpret.h"

#include <doctest/doctest.h>

#include <cmath>

#include "ir/text/text.h"
#include "tests/refusal.h"

using namespace ir;

namespace {

using Doubles = std::vector<double>;
using Integers = std::vector<int64_t>;

/// Runs loops on these buffers and gives the last one back.
template <typename Data>
Data run(const std::string& text, std::vector<Memory> memory, bool roundEach = true) {
  interpret(parseLoops(text), memory, roundEach);
  return std::get<Data>(memory.back().data);
}

/// The one element that `value`, of `dtype`, comes to.
double valueOf(const std::string& dtype, const std::string& value, bool roundEach = true) {
  const std::string text = "loops f\n  out y " + dtype + "[]\n  once\n    y[0] = " + value + "\n";
  return run<Doubles>(text, {Memory::zeros(*dtypeFromName(dtype), 1)}, roundEach)[0];
}

/// The same, where i runs to 4, j to 3 and `none` has no values.
double reduced(const std::string& dtype, const std::string& value) {
  const std::string text =
      "loops f\n  out y " + dtype + "[]\n  once reduce i in 4, j in 3, none in 0\n    y[0] = " + value + "\n";
  return run<Doubles>(text, {Memory::zeros(*dtypeFromName(dtype), 1)})[0];
}

}  // namespace

TEST_CASE("loops: strides, broadcasting and a cast at the store") {
  const std::string text = R"(loops aten_add_Tensor
  in  self  f16[2, 3]
  in  other f16[3]
  out out0  f16[2, 3] strides (1, 2)
  for i0 in 2, i1 in 3
    out0[i0 + i1*2] = f16(f32(self[i0*3 + i1]) + f32(other[i1]))
)";
  CHECK(run<Doubles>(
            text, {{DType::F16, Doubles{1, 2, 3, 4, 5, 6}}, {DType::F16, Doubles{10, 20, 4096}}, Memory::zeros(DType::F16, 6)}) ==
        Doubles{11, 14, 22, 25, 4100, 4104});  // 4099 and 4102 lie between multiples of 4
}

TEST_CASE("a load whose mask does not hold reads nothing, and is the other value") {
  const std::string text = R"(loops shifted
  in  self f32[3]
  in  fill f32[1]
  out out0 f32[6]
  for i0 in 6
    out0[i0] = self[i0 - 2 if (2 <= i0) & (i0 < 5) else fill[0]]
)";
  const std::vector<Memory> memory{{DType::F32, Doubles{1, 2, 3}}, {DType::F32, Doubles{9}}, Memory::zeros(DType::F32, 6)};
  CHECK(run<Doubles>(text, memory) == Doubles{9, 9, 1, 2, 3, 9});
  std::string wider = text;
  wider.replace(wider.find("i0 < 5"), 6, "i0 < 6");
  CHECK(tests::refusal(ErrorKind::Internal, [&] { run<Doubles>(wider, memory); }) == "read of self[3], which has 3 elements");
}

TEST_CASE("a store that accumulates does so at every point of all axes") {
  const auto scattered = [](const std::string& store) {
    return run<Doubles>("loops f\n  in k i64[4]\n  inout y f32[3]\n  for i in 4, j in 2\n    " + store + "\n",
                        {{DType::I64, Integers{2, 0, 2, 1}}, {DType::F32, Doubles{1, 2, 3}}});
  };
  CHECK(scattered("y[k[i]] add= f32(10)") == Doubles{21, 22, 43});
  CHECK(scattered("y[k[i]] max= f32(i + j)") == Doubles{2, 4, 3});
  CHECK(scattered("y[0] mul= f32(2)") == Doubles{256, 2, 3});
}

TEST_CASE("loops: integers, bools and gathers") {
  const std::string text = R"(loops gather
  in  table i32[4]
  in  index i64[3]
  out out0  u8[3]
  for i0 in 3
    out0[i0] = u8(where(index[i0] < 2, table[index[i0]], -table[index[i0]]))
)";
  CHECK(
      run<Integers>(text, {{DType::I32, Integers{1, 300, 3, 4}}, {DType::I64, Integers{1, 3, 0}}, Memory::zeros(DType::U8, 3)}) ==
      Integers{44, 252, 1});
}

TEST_CASE("loops: integers beyond 2^53 are exact") {
  const std::string text = R"(loops shift
  in  x i64[3]
  out y i64[3]
  for i0 in 3
    y[i0] = where(x[i0] == 9007199254740993, 9223372036854775807, x[i0] + 9007199254740993)
)";
  CHECK(run<Integers>(text, {{DType::I64, Integers{0, 9007199254740992, 9007199254740993}}, Memory::zeros(DType::I64, 3)}) ==
        Integers{9007199254740993, 18014398509481985, INT64_MAX});
}

TEST_CASE("in place, and several outputs: all values of a point are computed before one is written") {
  const std::string text = R"(loops swap
  inout x f32[2]
  inout y f32[2]
  for i0 in 2
    x[i0] = y[i0]
    y[i0] = x[i0]
)";
  CHECK(run<Doubles>(text, {{DType::F32, Doubles{1, 2}}, {DType::F32, Doubles{3, 4}}}) == Doubles{1, 2});
}

TEST_CASE("reductions: softmax, with row results beside full ones") {
  const std::string text = R"(loops aten_softmax
  in  self f32[2, 3]
  out top  f32[2]
  out out0 f32[2, 3]
  for i0 in 2, i1 in 3 reduce i2 in 3
    let t0 = max[i2](self[i0*3 + i2])
    let t1 = add[i2](exp(self[i0*3 + i2] - t0))
    top[i0] = t0
    out0[i0*3 + i1] = exp(self[i0*3 + i1] - t0) / t1
)";
  std::vector<Memory> memory{{DType::F32, Doubles{0, 0, 0, 5, 4, 4}}, Memory::zeros(DType::F32, 2), Memory::zeros(DType::F32, 6)};
  interpret(parseLoops(text), memory, false);
  CHECK(std::get<Doubles>(memory[1].data) == Doubles{0, 5});
  const double rest = 1 / (std::exp(1) + 2);
  const Doubles expected{1.0 / 3, 1.0 / 3, 1.0 / 3, std::exp(1) * rest, rest, rest};
  for (size_t i = 0; i < 6; ++i) CHECK(std::get<Doubles>(memory[2].data)[i] == round(DType::F32, expected[i]));
}

TEST_CASE("a reduction is evaluated once for each point that it depends on") {
  const std::string text = R"(loops aten_softmax
  in  self f32[64, 2000]
  out out0 f32[64, 2000]
  for i0 in 64, i1 in 2000 reduce i2 in 2000, i3 in 2000
    out0[i0*2000 + i1] = self[i0*2000 + i1] / add[i3](self[i0*2000 + i3] + max[i2](self[i0*2000 + i2]))
)";  // minutes, if it were not
  const Doubles result = run<Doubles>(text, {{DType::F32, Doubles(128'000, 1)}, Memory::zeros(DType::F32, 128'000)});
  CHECK(result == Doubles(128'000, 1.0F / 4000));
}

TEST_CASE("reductions: one within another, over its axes; every operation, and none at all") {
  CHECK(reduced("f64", "add[i](add[j](f64(i)*f64(j)))") == 1 * (0 + 1 + 2) + 2 * (0 + 1 + 2) + 3 * (0 + 1 + 2));
  CHECK(reduced("f64", "add[i, j](f64(i)*f64(j))") == 18);
  CHECK(reduced("f64", "add[i](f64(i) * max[j](where(j <= i, f64(j), f64(0))))") == 1 + 4 + 6);
  CHECK(reduced("f64", "mul[i](f64(i + 1))") == 24);
  CHECK(reduced("f64", "min[i](f64(i - 2))") == -2);
  CHECK(reduced("f64", "max[i](where(i == 2, f64(nan), f64(1)))") != reduced("f64", "f64(0)"));
  CHECK(reduced("f64", "f64(add[i](i*3))") == 18);
  CHECK(reduced("f64", "f64(and[i](i < 3)) + f64(or[i](i < 3))*f64(2)") == 2);
  CHECK(reduced("f64", "add[none](f64(1)) + mul[none](f64(1)) + f64(or[none](true))") == 1);
  CHECK(reduced("f64", "max[none](f64(1))") == -INFINITY);
  CHECK(reduced("f64", "f64(max[none](u8(7))) + f64(min[none](i8(7)))") == 127);
}

TEST_CASE("a sum is rounded once, when all is added") {
  CHECK(reduced("f32", "add[i](where(i == 0, f32(16777216), f32(1)))") == 16777220);  // after each addition: 16777216
  CHECK(reduced("f64", "f64(add[i](f16(2048) + f16(i)))") == 8200);                   // 8192 + 6, by eights
  CHECK(reduced("f64", "f64(add[i](u8(i + 62)))") == 254);
  CHECK(reduced("f64", "f64(add[i](u8(i + 63)))") == 2);
}

TEST_CASE("a scan combines up to and including each point, along its axis alone") {
  const std::string rows = "loops f\n  in x f32[2, 3]\n  out y f32[2, 3]\n  for i in 2, j in 3\n    y[i*3 + j] = ";
  const auto of = [&](const std::string& value, Doubles x) {
    return run<Doubles>(rows + value + "\n", {{DType::F32, std::move(x)}, Memory::zeros(DType::F32, 6)});
  };
  CHECK(of("add[to j](x[i*3 + j])", {1, 2, 3, 4, 5, 6}) == Doubles{1, 3, 6, 4, 9, 15});
  CHECK(of("add[to i](x[i*3 + j])", {1, 2, 3, 4, 5, 6}) == Doubles{1, 2, 3, 5, 7, 9});
  CHECK(of("mul[to j](x[i*3 + j]) - x[i*3 + j]", {1, 2, 3, 4, 5, 6}) == Doubles{0, 0, 3, 0, 15, 114});
  CHECK(of("add[to j](max[to i](x[i*3 + j]))", {1, 7, 3, 4, 5, 6}) == Doubles{1, 8, 11, 4, 11, 17});
  const Doubles logs = of("logaddexp[to j](x[i*3 + j])", {0, 0, -INFINITY, -INFINITY, -INFINITY, INFINITY});
  CHECK(logs[0] == 0);
  CHECK(logs[2] == doctest::Approx(std::log(2)));
  CHECK(logs[4] == -INFINITY);
  CHECK(logs[5] == INFINITY);
  CHECK(std::isnan(of("logaddexp[to j](x[i*3 + j])", {NAN, 0, 1, 0, 0, 0})[2]));
}

TEST_CASE("a scan in place reads what was there before") {
  const std::string text = "loops f\n  inout x i64[4]\n  for i in 4\n    x[i] = add[to i](x[i])\n";
  CHECK(run<Integers>(text, {{DType::I64, Integers{1, 2, 3, 4}}}) == Integers{1, 3, 6, 10});
}

TEST_CASE("a store that does not depend on an axis happens once, also when another axis has no values") {
  const std::string text = R"(loops f
  inout mean  f32[2]
  out   out0  f32[0, 2]
  inout count i64[]
  for i0 in 0, i1 in 2
    mean[i1] = mean[i1] * f32(0.5)
    out0[i0*2 + i1] = f32(1)
    count[0] = count[0] + 1
)";
  std::vector<Memory> memory{{DType::F32, Doubles{4, 6}}, Memory::zeros(DType::F32, 0), Memory::zeros(DType::I64, 1)};
  interpret(parseLoops(text), memory);
  CHECK(std::get<Doubles>(memory[0].data) == Doubles{2, 3});
  CHECK(std::get<Integers>(memory[2].data) == Integers{1});
}

TEST_CASE("each operation rounds to its dtype, or only casts and stores do") {
  CHECK(valueOf("f32", "f32(1) / f32(3)") == static_cast<double>(1.0F / 3.0F));
  CHECK(valueOf("f64", "f64(f32(1) / f32(3))", false) == 1.0 / 3.0);
  CHECK(valueOf("f64", "f64(f32(f64(1) / f64(3)))", false) == static_cast<double>(1.0F / 3.0F));
  CHECK(valueOf("f32", "(f32(16777216) + f32(1)) - f32(16777216)") == 0);
  CHECK(valueOf("f32", "(f32(16777216) + f32(1)) - f32(16777216)", false) == 1);
  CHECK(valueOf("f16", "f16(2048) + f16(1)") == 2048);
}

TEST_CASE("functions are those of the mathematics library") {
  CHECK(valueOf("f64", "erf(f64(0.5))") == std::erf(0.5));
  CHECK(valueOf("f64", "rsqrt(f64(4))") == 0.5);
  CHECK(valueOf("f64", "expm1(f64(1e-20))") == 1e-20);
  CHECK(valueOf("f64", "pow(f64(-2), f64(3))") == -8);
  CHECK(valueOf("f64", "rem(f64(-7.5), f64(2))") == -1.5);
  CHECK(valueOf("f64", "where(isnan(sqrt(f64(-1))), f64(1), f64(0))") == 1);
  CHECK(valueOf("f32", "tanh(f32(1))") == static_cast<double>(static_cast<float>(std::tanh(1.0))));
}

TEST_CASE("a kernel: blocks, threads, vectors, a tail and a condition") {
  const Kernel kernel = parseKernel(R"(kernel f on cuda
  launch 2 blocks of 3 threads
  in  x f32[22] align 4
  out y f32[22] align 4
  for i in 2 grid
    for j in 3 thread
      if i == 0
        lanes l in 4
          y[j*4] x4 = x[j*4] x4 + f32(100)
      else
        lanes l in 4 active 22 - i*12 - j*4
          y[i*12 + j*4 + l] = x[i*12 + j*4] x4 * f32(l)
)");
  std::vector<Memory> memory{Memory::zeros(DType::F32, 22), Memory::zeros(DType::F32, 22)};
  Doubles expected(22);
  for (int i = 0; i < 22; ++i) {
    std::get<Doubles>(memory[0].data)[i] = i;
    expected[i] = i < 12 ? i + 100 : i * (i % 4);
  }
  interpret(kernel, memory);
  CHECK(std::get<Doubles>(memory[1].data) == expected);
}

TEST_CASE("refusals") {
  const auto refused = [](const std::string& body, std::vector<Memory> memory, ErrorKind kind = ErrorKind::Internal) {
    const Loops loops = parseLoops("loops f\n  in x i32[2]\n  out y i32[2]\n  for i in 2\n    " + body + "\n");
    return tests::refusal(kind, [&] { interpret(loops, memory); });
  };
  const std::vector<Memory> memory(2, Memory::zeros(DType::I32, 2));
  CHECK(refused("y[i] = x[i + 1]", memory) == "read of x[2], which has 2 elements");
  CHECK(refused("y[i - 1] = x[i]", memory) == "write of y[-1], which has 2 elements");
  CHECK(refused("y[i] = x[i] / x[i]", memory, ErrorKind::Input) == "div of the i32 value 0 by zero");
  CHECK(refused("y[i] = x[i]", {memory[0]}) == "2 buffers are given storage for 1");
  CHECK(refused("y[i] = x[i]", {memory[0], Memory::zeros(DType::I64, 2)}) == "y is i32 and its storage i64");
  CHECK(refused("y[i] = x[i]", {memory[0], Memory::zeros(DType::I32, 1)}) == "y has 2 elements and its storage 1");
  CHECK(tests::refusal(ErrorKind::Unsupported, [] { Memory::zeros(DType::C64, 1); }) ==
        "the interpreter holds no complex64 values");
  Loops unbound = parseLoops("loops f\n  out y f32[2]\n  for i in 2\n    y[i] = f32(1)\n");
  unbound.axes.clear();
  std::vector<Memory> one{Memory::zeros(DType::F32, 2)};
  CHECK(tests::refusal(ErrorKind::Internal, [&] { interpret(unbound, one); }) == "axis i0 is not bound");
}
