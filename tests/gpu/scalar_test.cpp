// Every scalar operation on the GPU against the interpreter, on special values and on random ones.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "lowering/schedule/apply.h"
#include "tests/cuda_program.h"
#include "tests/gpu/gpu.h"
#include "tests/random_expr.h"
#include "tests/scalar_kernels.h"

namespace {

using ir::DType;
using ir::Op;

constexpr int64_t elements = 4096;
constexpr double infinity = std::numeric_limits<double>::infinity();

struct Format {
  int mantissa, minExponent;
  double largest;
};

Format format(DType dtype) {
  if (dtype == DType::F16) return {10, -14, 65504};
  if (dtype == DType::BF16) return {7, -126, 3.3895313892515355e38};
  if (dtype == DType::F8E4M3) return {3, -6, 448};
  if (dtype == DType::F8E5M2) return {2, -14, 57344};
  if (dtype == DType::F32) return {23, -126, std::numeric_limits<float>::max()};
  return {52, -1022, std::numeric_limits<double>::max()};
}

/// The distance between neighbouring values of a dtype at `value`.
double unit(DType dtype, double value) {
  const Format f = format(dtype);
  const int exponent = value == 0 ? f.minExponent : std::max(std::ilogb(value), f.minExponent);
  return std::ldexp(1.0, exponent - f.mantissa);
}

std::vector<double> specialValues(DType dtype) {
  const Format f = format(dtype);
  std::vector<double> values{0,    -0.0, 1,  -1,  0.5,  -0.5, 2,        -2,        2.5, -2.5, 1.5,  3.5,       0.1,
                             -0.1, 1e-3, 10, -10, 30.0, -30,  infinity, -infinity, NAN, 88.5, -100, f.largest, -f.largest};
  values.push_back(std::ldexp(1.0, f.minExponent));
  values.push_back(std::ldexp(-1.0, f.minExponent - f.mantissa));
  values.push_back(0.02);
  values.push_back(0.031);
  values.push_back(-0.09);
  for (double& x : values) x = ir::round(dtype, x);
  return values;
}

/// x takes the special values, y with each of them all of them; then random ones of many magnitudes.
std::vector<double> floatingValues(DType dtype, bool isSecond) {
  const std::vector<double> special = specialValues(dtype);
  std::mt19937_64 random(isSecond ? 1 : 2);
  std::uniform_real_distribution<double> small(-5, 5);
  std::uniform_real_distribution<double> exponent(-12, 12);
  std::vector<double> values;
  for (size_t i = 0; i < elements; ++i) {
    const bool isSpecial = i < special.size() * special.size();
    const double drawn = i % 2 == 0 ? small(random) : std::copysign(std::exp2(exponent(random)), small(random));
    values.push_back(isSpecial ? special[isSecond ? i % special.size() : i / special.size()] : ir::round(dtype, drawn));
  }
  return values;
}

std::vector<int64_t> integerValues(DType dtype, bool isSecond) {
  std::mt19937_64 random(isSecond ? 3 : 4);
  const std::vector<int64_t> special{0,
                                     1,
                                     -1,
                                     2,
                                     7,
                                     -7,
                                     100,
                                     std::numeric_limits<int64_t>::max(),
                                     std::numeric_limits<int64_t>::min(),
                                     std::numeric_limits<int32_t>::max(),
                                     std::numeric_limits<int32_t>::min(),
                                     127,
                                     -128,
                                     255};
  std::vector<int64_t> values;
  for (size_t i = 0; i < elements; ++i) {
    const bool isSpecial = i < special.size() * special.size();
    const auto drawn = static_cast<int64_t>(random() >> (random() % 60));
    values.push_back(ir::wrap(dtype, isSpecial ? special[isSecond ? i % special.size() : i / special.size()] : drawn));
  }
  return values;
}

ir::Memory values(DType dtype, bool isSecond) {
  ir::Memory memory{dtype, {}};
  if (ir::isFloating(dtype)) {
    memory.data = floatingValues(dtype, isSecond);
  } else {
    memory.data = integerValues(dtype, isSecond);
  }
  return memory;
}

std::vector<ir::Memory> storage(const tests::ScalarKernel& made) {
  std::vector<ir::Memory> memory;
  for (size_t i = 0; i < made.kernel.params.size(); ++i) {
    const DType dtype = made.kernel.params[i].buffer.type.dtype;
    memory.push_back(static_cast<int>(i) < made.inputs ? values(dtype, i == 1) : ir::Memory::zeros(dtype, elements));
  }
  return memory;
}

struct Tolerance {
  double units = 0;  ///< in the last place of the result's dtype
  double relative = 0;
  double absolute = 0;
};

/// Arithmetic is exact; CUDA's tables give 1 to 4 units for functions of f32 and f64, 8 for pow. A logaddexp near 0 is what is
/// left of larger numbers; it is never relaxed.
Tolerance toleranceOf(Op op, DType dtype, bool relaxed) {
  if (op == Op::LogAddExp) return {ir::isLowPrecision(dtype) ? 1.0 : 4.0, 0, 4 * unit(dtype, 1)};
  // Near zeros what CUDA's tables give is absolute.
  if (op == Op::Lgamma || op == Op::BesselJ0 || op == Op::BesselJ1 || op == Op::BesselY0 || op == Op::BesselY1)
    return {ir::isLowPrecision(dtype) ? 1.0 : 16.0, 0, dtype == DType::F64 ? 1e-14 : 1e-5};
  const bool isComputed = ir::isFunction(op) && op != Op::Rem;
  const bool isApproximate = isComputed || op == Op::Rsqrt || (relaxed && (op == Op::Div || op == Op::Sqrt));
  if (!isApproximate) return {};
  if (relaxed) return {dtype == DType::F32 ? 0.0 : 1.0, 0x1p-16, 0x1p-20};
  return {ir::isLowPrecision(dtype) ? 1.0 : op == Op::Pow ? 8.0 : 4.0, 0, 0};
}

bool agrees(DType dtype, double found, double expected, const Tolerance& tolerance) {
  if (std::isnan(expected)) return std::isnan(found);
  if (found == expected) return true;
  const double largest = format(dtype).largest;
  const bool isExact = tolerance.units == 0 && tolerance.relative == 0;
  // On the edge of overflow an approximation may fall on the other side.
  if (std::isinf(found) || std::isinf(expected)) {
    const double finite = std::isinf(found) ? expected : found;
    return !isExact && std::abs(finite) > 0.99 * largest && std::signbit(found) == std::signbit(expected);
  }
  const double bound =
      tolerance.units * unit(dtype, expected) + std::max(tolerance.relative * std::abs(expected), tolerance.absolute);
  return std::abs(found - expected) <= bound;
}

/// Compares one output; shows the first place that differs.
void compare(const tests::ScalarKernel& made, size_t output, const std::vector<ir::Memory>& found,
             const std::vector<ir::Memory>& expected, const Tolerance& tolerance) {
  const size_t param = static_cast<size_t>(made.inputs) + output;
  const auto operand = [&](size_t input, size_t i) {
    const ir::Memory& memory = expected[input];
    const auto* doubles = std::get_if<std::vector<double>>(&memory.data);
    return doubles != nullptr ? fmt::format("{}", (*doubles)[i])
                              : fmt::format("{}", std::get<std::vector<int64_t>>(memory.data)[i]);
  };
  // No GPU keeps the sign of a NaN that is converted from f8.
  const auto isOfNan = [&](size_t i) {
    return !made.ops.empty() && made.ops[output] == ir::Op::CopySign &&
           std::isnan(std::get<std::vector<double>>(expected[1].data)[i]);
  };
  for (size_t i = 0; i < elements; ++i) {
    bool same = false;
    std::string values;
    if (const auto* integers = std::get_if<std::vector<int64_t>>(&expected[param].data)) {
      const int64_t got = std::get<std::vector<int64_t>>(found[param].data)[i];
      same = got == (*integers)[i];
      values = fmt::format("{} instead of {}", got, (*integers)[i]);
    } else {
      const double got = std::get<std::vector<double>>(found[param].data)[i];
      const double want = std::get<std::vector<double>>(expected[param].data)[i];
      same = agrees(made.results[output], got, want, tolerance) || (isOfNan(i) && std::abs(got) == std::abs(want));
      values = fmt::format("{} instead of {}", got, want);
    }
    if (same) continue;
    const std::string what =
        made.ops.empty() ? "cast to " + std::string(ir::name(made.results[output])) : std::string(ir::name(made.ops[output]));
    const std::string operands = made.inputs > 1 ? operand(0, i) + ", " + operand(1, i) : operand(0, i);
    FAIL_CHECK(made.kernel.name, ": ", what, "(", operands, ") is ", values);
    return;
  }
}

void checkScalar(DType dtype, bool relaxed) {
  const tests::ScalarKernel made = tests::scalarKernel(dtype, elements, relaxed);
  std::vector<ir::Memory> expected = storage(made);
  std::vector<ir::Memory> found = expected;
  ir::interpret(made.kernel, expected);
  tests::runOnGpu(tests::cudaProgram(made.kernel, tests::gpu().target()), found);
  for (size_t i = 0; i < made.ops.size(); ++i)
    compare(made, i, found, expected, toleranceOf(made.ops[i], made.results[i], relaxed));
}

TEST_CASE("arithmetic is exact, functions are right to a few units in the last place") {
  for (const DType dtype : tests::scalarDTypes()) checkScalar(dtype, false);
}

TEST_CASE("relaxed functions keep to 2^-16 relative or 2^-20 absolute, and special values come out right") {
  for (const DType dtype : {DType::F32, DType::F16, DType::BF16}) checkScalar(dtype, true);
}

/// Whether a cast is defined: integers that the result dtype holds, and one rounding (f64 goes to 16 bits through f32).
bool isDefinedCast(DType from, DType to, double value) {
  if (from == DType::F64 && ir::isLowPrecision(to)) return value == static_cast<double>(static_cast<float>(value));
  if (!ir::isFloating(from) || ir::isFloating(to) || to == DType::Bool) return true;
  const int bits = static_cast<int>(8 * ir::sizeOf(to)) - (ir::isSigned(to) ? 1 : 0);
  return std::abs(value) < std::ldexp(1.0, bits) && (ir::isSigned(to) || value > -1);
}

TEST_CASE("casts agree to the bit where they are defined") {
  for (const DType from : tests::scalarDTypes()) {
    const tests::ScalarKernel made = tests::castKernel(from, elements);
    std::vector<ir::Memory> expected = storage(made);
    std::vector<ir::Memory> found = expected;
    ir::interpret(made.kernel, expected);
    tests::runOnGpu(tests::cudaProgram(made.kernel, tests::gpu().target()), found);
    for (size_t output = 0; output < made.results.size(); ++output) {
      // Where it is not defined, whatever came out counts as expected.
      const DType to = made.results[output];
      const size_t param = output + 1;
      for (size_t i = 0; i < elements; ++i) {
        const auto* doubles = std::get_if<std::vector<double>>(&expected[0].data);
        const double value = doubles != nullptr ? (*doubles)[i] : 0;
        // bf16 and f8 round an integer beyond 2^24 twice, as ATen does.
        const bool isTwice = doubles == nullptr && ir::isLowPrecision(to) &&
                             std::abs(std::get<std::vector<int64_t>>(expected[0].data)[i]) >= (1 << 24);
        if (isDefinedCast(from, to, value) && !isTwice) continue;
        std::visit([&](auto& data) { data[i] = std::get<std::remove_reference_t<decltype(data)>>(found[param].data)[i]; },
                   expected[param].data);
      }
      compare(made, output, found, expected, {});
    }
  }
}

TEST_CASE("random kernels agree with the interpreter to the bit when nothing is contracted") {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    CAPTURE(seed);
    tests::RandomOptions options;
    options.exactOnly = true;
    const ir::Loops loops = tests::randomLoops(seed, options);
    ir::Kernel kernel = lowering::apply(loops, tests::gpu().target());
    kernel.math = ir::Math::Exact;
    kernel.index32 = seed % 3 != 0;
    ir::KernelSource program = tests::cudaProgram(kernel, tests::gpu().target());
    std::replace(program.options.begin(), program.options.end(), std::string("--fmad=true"), std::string("--fmad=false"));
    std::vector<ir::Memory> expected = tests::randomMemory(loops, seed);
    std::vector<ir::Memory> found = expected;
    ir::interpret(kernel, expected);
    tests::runOnGpu(program, found);
    for (size_t i = 0; i < expected.size(); ++i) {
      CAPTURE(loops.buffers[i].name);
      if (const auto* integers = std::get_if<std::vector<int64_t>>(&expected[i].data)) {
        CHECK(*integers == std::get<std::vector<int64_t>>(found[i].data));
        continue;
      }
      const auto& want = std::get<std::vector<double>>(expected[i].data);
      const auto& got = std::get<std::vector<double>>(found[i].data);
      int different = 0;
      for (size_t j = 0; j < want.size(); ++j) different += !(want[j] == got[j] || (std::isnan(want[j]) && std::isnan(got[j])));
      CHECK(different == 0);
    }
  }
}

}  // namespace
