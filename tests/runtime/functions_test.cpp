// The mathematical functions over their whole range, against libm in double precision, and the bounds llvm_math.h states.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>

#include "ir/error.h"
#include "tests/runtime/cpu_kernel.h"

namespace {

using ir::DType;
using ir::ExprPool;
using ir::Op;

double rsqrt(double x) { return 1 / std::sqrt(x); }

struct Function {
  Op op;
  double (*exact)(double);
  double bound;         ///< ULP of f32
  double relaxedBound;  ///< the error relative to the larger of 1/16 and the result
};
const std::vector<Function> functions{
    {Op::Exp, std::exp, 1, 0x1p-16},   {Op::Expm1, std::expm1, 1.5, 0x1p-16}, {Op::Log, std::log, 1, 0x1p-16},
    {Op::Log2, std::log2, 2, 0x1p-16}, {Op::Log1p, std::log1p, 1, 0x1p-16},   {Op::Sin, std::sin, 2, 0x1p-16},
    {Op::Cos, std::cos, 2, 0x1p-16},   {Op::Tanh, std::tanh, 2.5, 0x1p-16},   {Op::Erf, std::erf, 1.5, 0x1p-16},
    {Op::Rsqrt, rsqrt, 1.5, 0x1p-16},
};

/// Every `step`th bit pattern of f32.
std::vector<float> spread(uint64_t step) {
  std::vector<float> values;
  for (uint64_t bits = 0; bits < (uint64_t{1} << 32); bits += step)
    values.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  values.resize(values.size() / 64 * 64);
  return values;
}

template <typename In, typename Out>
std::vector<Out> apply(runtime::Orc& orc, const ir::Kernel& kernel, const std::vector<In>& in) {
  const runtime::HostCode code = orc.compile(codegen::emitLlvm(kernel, runtime::Orc::host(1)), runtime::Cache());
  std::vector<Out> out(in.size());
  void* pointers[] = {const_cast<In*>(in.data()), out.data()};
  code.function(pointers, 0, kernel.launch.tasks);
  return out;
}

/// Distance of a result to the exact one in ULP of f32; infinite if it is special where the other is not.
double errorInUlp(float found, double exact) {
  const auto rounded = static_cast<float>(exact);
  if (std::isnan(exact)) return std::isnan(found) ? 0 : INFINITY;
  if (found == rounded)
    return std::signbit(found) == std::signbit(rounded) || rounded != 0
               ? std::isinf(found) ? 0 : std::abs(found - exact) / std::ldexp(1.0, std::max(std::ilogb(exact), -126) - 23)
               : INFINITY;
  const double shown = std::isinf(found) ? std::copysign(0x1p128, found) : static_cast<double>(found);
  return std::abs(shown - exact) / std::ldexp(1.0, std::max(std::min(std::ilogb(exact), 127), -126) - 23);
}

}  // namespace

TEST_CASE("functions on f32 err by no more ULP than stated, over all of f32") {
  runtime::Orc orc;
  const std::vector<float> values = spread(4099);
  for (const Function& function : functions) {
    const auto count = static_cast<int64_t>(values.size());
    const ir::Kernel kernel = tests::pointwiseKernel({DType::F32}, count, 16, [&](ExprPool& pool, const auto& loads) {
      return std::vector{pool.make(function.op, {loads[0]})};
    });
    const std::vector<float> found = apply<float, float>(orc, kernel, values);
    double worst = 0;
    float where = 0;
    for (size_t i = 0; i < values.size(); ++i)
      if (const double error = errorInUlp(found[i], function.exact(values[i])); error > worst) {
        worst = error;
        where = values[i];
      }
    const std::string what = fmt::format("{}: {} ULP at {}", ir::name(function.op), worst, where);
    CHECK_MESSAGE(worst <= function.bound, what);
  }
}

TEST_CASE("pow on f32 is within an ULP") {
  runtime::Orc orc;
  const std::vector<float> bases = spread(524287);
  for (const float exponent : {0.5F, 2.0F, 3.0F, -1.5F, 0.3333333F, 17.0F, -40.25F, 1e-3F}) {
    const auto count = static_cast<int64_t>(bases.size());
    const ir::Kernel kernel = tests::pointwiseKernel({DType::F32}, count, 16, [&](ExprPool& pool, const auto& loads) {
      return std::vector{pool.make(Op::Pow, {loads[0], pool.constant(DType::F32, exponent)})};
    });
    const std::vector<float> found = apply<float, float>(orc, kernel, bases);
    double worst = 0;
    for (size_t i = 0; i < bases.size(); ++i) worst = std::max(worst, errorInUlp(found[i], std::pow(double{bases[i]}, exponent)));
    CHECK(worst <= 1);
  }
}

TEST_CASE("relaxed functions are within 2^-16 of the result, and exact at 0") {
  runtime::Orc orc;
  const std::vector<float> values = spread(65537);
  for (const Function& function : functions) {
    const auto count = static_cast<int64_t>(values.size());
    ir::Kernel kernel = tests::pointwiseKernel({DType::F32}, count, 16, [&](ExprPool& pool, const auto& loads) {
      return std::vector{pool.make(function.op, {loads[0]})};
    });
    kernel.math = ir::Math::Relaxed;
    const std::vector<float> found = apply<float, float>(orc, kernel, values);
    for (size_t i = 0; i < values.size(); ++i) {
      const double exact = function.exact(values[i]);
      if (!std::isfinite(static_cast<float>(exact))) {
        REQUIRE(std::isfinite(found[i]) == std::isfinite(static_cast<float>(exact)));
      } else {
        REQUIRE(std::abs(found[i] - exact) <= 0x1p-16 * std::abs(exact) + 0x1p-140);
        if (values[i] == 0) CHECK(found[i] == exact);
        // What is left of 1 may be multiplied by any number, as gelu does.
        if (function.op == Op::Erf && std::abs(values[i]) >= 4) REQUIRE(std::abs(found[i]) == 1);
      }
    }
  }
}

TEST_CASE("all f16 values go to f32 and back unchanged, and through every function to the nearest f16 or its neighbour") {
  runtime::Orc orc;
  std::vector<uint16_t> codes(65536);
  for (size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<uint16_t>(i);
  const ir::Kernel round = tests::pointwiseKernel({DType::F16}, 65536, 32, [](ExprPool& pool, const auto& loads) {
    return std::vector{
        pool.cast(DType::F16, pool.make(Op::Mul, {pool.cast(DType::F32, loads[0]), pool.constant(DType::F32, 1)}))};
  });
  const std::vector<uint16_t> same = apply<uint16_t, uint16_t>(orc, round, codes);
  const auto isNan = [](uint16_t code) { return std::isnan(tests::decodeSmall(DType::F16, code)); };
  for (size_t i = 0; i < codes.size(); ++i) REQUIRE((same[i] == codes[i] || (isNan(same[i]) && isNan(codes[i]))));

  for (const Function& function : functions) {
    const ir::Kernel kernel = tests::pointwiseKernel({DType::F16}, 65536, 32, [&](ExprPool& pool, const auto& loads) {
      return std::vector{pool.make(function.op, {loads[0]})};
    });
    const std::vector<uint16_t> found = apply<uint16_t, uint16_t>(orc, kernel, codes);
    int64_t neighbours = 0;
    for (size_t i = 0; i < codes.size(); ++i) {
      const double exact = function.exact(tests::decodeSmall(DType::F16, codes[i]));
      const uint64_t expected = tests::encodeSmall(DType::F16, ir::round(DType::F16, exact));
      if (std::isnan(exact) && isNan(found[i])) continue;
      if (found[i] != expected) ++neighbours;
      REQUIRE(std::abs(static_cast<int64_t>(found[i]) - static_cast<int64_t>(expected)) <= 1);
    }
    CHECK(neighbours < 64);
  }
}
