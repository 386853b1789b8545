// Every scalar operation on every dtype: machine code against the interpreter, as vectors, partly active vectors and scalars.
#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <string>
#include <utility>

#include "ir/error.h"
#include "ir/scalar.h"
#include "tests/runtime/cpu_kernel.h"

namespace {

using ir::DType;
using ir::Expr;
using ir::ExprPool;
using ir::Memory;
using ir::Op;

const std::vector<DType> floatingDtypes{DType::F8E4M3, DType::F8E5M2, DType::F16, DType::BF16, DType::F32, DType::F64};
const std::vector<DType> integerDtypes{DType::U8,  DType::I8,  DType::U16, DType::I16,
                                       DType::U32, DType::I32, DType::U64, DType::I64};
const std::vector<Op> exactOps{Op::Neg,   Op::Abs, Op::Floor, Op::Ceil, Op::Trunc, Op::Round,   Op::Sqrt,
                               Op::IsNan, Op::Add, Op::Sub,   Op::Mul,  Op::Div,   Op::Rem,     Op::Max,
                               Op::Min,   Op::Eq,  Op::Ne,    Op::Lt,   Op::Le,    Op::CopySign};
const std::vector<Op> mathOps{Op::Rsqrt, Op::Exp, Op::Expm1, Op::Log, Op::Log2, Op::Log1p,
                              Op::Sin,   Op::Cos, Op::Tanh,  Op::Erf, Op::Pow};
/// Those of libraries' functions that come as vectors; others err more near their zeros.
const std::vector<Op> libraryOps = [] {
  std::vector<std::pair<Op, std::string>> all;
#define FUNCTION(name, text, arity, symbol, form) all.emplace_back(Op::name, #form);
#include "ir/ops.def"
  std::vector<Op> vectors;
  for (const auto& [op, form] : all)
    if (form == "Vectors") vectors.push_back(op);
  return vectors;
}();
const std::vector<Op> integerOps{Op::Neg,      Op::Not, Op::Abs, Op::Add, Op::Sub, Op::Mul, Op::Div,
                                 Op::FloorDiv, Op::Mod, Op::Rem, Op::Max, Op::Min, Op::And, Op::Or,
                                 Op::Xor,      Op::Shl, Op::Shr, Op::Eq,  Op::Ne,  Op::Lt,  Op::Le};
const std::vector<Op> boolOps{Op::Not, Op::And, Op::Or, Op::Xor, Op::Eq, Op::Ne};

std::vector<double> floatingValues(DType dtype) {
  std::vector<double> values{0,
                             1,
                             1.5,
                             2,
                             2.5,
                             3,
                             0.5,
                             0.1,
                             7,
                             10,
                             88,
                             89,
                             100,
                             1e-3,
                             1e-8,
                             3e-39,
                             1e-45,
                             448,
                             57344,
                             65504,
                             65520,
                             3e38,
                             3.4028234663852886e38,
                             1e5,
                             123456,
                             std::numeric_limits<double>::infinity(),
                             std::numeric_limits<double>::quiet_NaN()};
  if (dtype == DType::F64) values.insert(values.end(), {1e300, 5e-324, 2.3e-308, 709, 710});
  std::mt19937 random(1);
  std::uniform_real_distribution<double> near(0, 6);
  while (values.size() < 40) values.push_back(near(random));
  for (size_t i = 0, count = values.size(); i < count; ++i) values.push_back(-values[i]);
  for (double& value : values) value = ir::round(dtype, value);
  return values;
}

std::vector<int64_t> integerValues(DType dtype) {
  if (dtype == DType::Bool) return {0, 1};
  std::vector<int64_t> values{0,
                              1,
                              2,
                              3,
                              5,
                              7,
                              10,
                              63,
                              127,
                              128,
                              255,
                              256,
                              32767,
                              65535,
                              2147483647,
                              2147483648,
                              4294967295,
                              int64_t{1} << 53,
                              (int64_t{1} << 53) + 1,
                              (int64_t{1} << 60) + (int64_t{1} << 52) + 1,
                              std::numeric_limits<int64_t>::max()};
  for (size_t i = 0, count = values.size(); i < count; ++i) values.push_back(-values[i]);
  values.push_back(std::numeric_limits<int64_t>::min());
  for (int64_t& value : values) value = ir::wrap(dtype, value);
  return values;
}

/// All pairs of the values of a dtype, as two buffers; `count` of them, from the front again where they are fewer.
template <typename T>
std::vector<Memory> pairs(DType dtype, const std::vector<T>& values) {
  std::vector<T> a;
  std::vector<T> b;
  for (const T x : values)
    for (const T y : values) {
      a.push_back(x);
      b.push_back(y);
    }
  return {{dtype, a}, {dtype, b}};
}
std::vector<Memory> pairsOf(DType dtype) {
  return ir::isFloating(dtype) ? pairs(dtype, floatingValues(dtype)) : pairs(dtype, integerValues(dtype));
}
int64_t sizeOf(const Memory& memory) {
  return std::visit([](const auto& data) { return static_cast<int64_t>(data.size()); }, memory.data);
}

/// The operand with what the operation leaves undefined taken out: zero divisors, shift counts that do not fit.
const Expr* defined(ExprPool& pool, Op op, const Expr* x) {
  const bool divides = op == Op::Div || op == Op::FloorDiv || op == Op::Mod || op == Op::Rem;
  if (ir::isFloating(x->dtype)) return x;
  if (divides) return pool.make(Op::Where, {pool.make(Op::Eq, {x, pool.integer(x->dtype, 0)}), pool.integer(x->dtype, 1), x});
  if (op == Op::Shl || op == Op::Shr) return pool.make(Op::And, {x, pool.integer(x->dtype, 8 * ir::sizeOf(x->dtype) - 1)});
  return x;
}

tests::Body applying(const std::vector<Op>& ops) {
  return [&ops](ExprPool& pool, const std::vector<const Expr*>& loads) {
    std::vector<const Expr*> values;
    for (const Op op : ops) {
      if (ir::arity(op) == 1) values.push_back(pool.make(op, {loads[0]}));
      if (ir::arity(op) == 2) values.push_back(pool.make(op, {loads[0], defined(pool, op, loads[1])}));
    }
    return values;
  };
}

/// The distance of two values of a dtype in units in the last place; 0 for equal ones and two NaN.
double ulps(DType dtype, double a, double b) {
  if (a == b) return std::signbit(a) == std::signbit(b) ? 0 : 1e30;
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b) ? 0 : 1e30;
  if (std::isinf(a) || std::isinf(b)) return 1e30;
  const int mantissa = dtype == DType::F64    ? 52
                       : dtype == DType::F32  ? 23
                       : dtype == DType::F16  ? 10
                       : dtype == DType::BF16 ? 7
                                              : 3;
  const int least = dtype == DType::F64                           ? -1022
                    : dtype == DType::F32 || dtype == DType::BF16 ? -126
                    : dtype == DType::F8E4M3                      ? -6
                                                                  : -14;
  return std::abs(a - b) / std::ldexp(1.0, std::max(std::ilogb(std::max(std::abs(a), std::abs(b))), least) - mantissa);
}

double ulps(DType, int64_t a, int64_t b) { return a == b ? 0 : 1e30; }

/// Runs the kernel both ways and checks every output to `tolerance` units in the last place.
void check(runtime::Orc& orc, const ir::Kernel& kernel, const ir::Target& target, const std::vector<Memory>& inputs,
           double tolerance, const std::vector<Op>& ops) {
  std::vector<Memory> expected = tests::memoryFor(kernel, inputs);
  std::vector<Memory> found = expected;
  ir::interpret(kernel, expected);
  tests::run(orc, kernel, target, found);
  for (size_t i = inputs.size(); i < found.size(); ++i) {
    double worst = 0;
    int64_t where = 0;
    std::visit(
        [&](const auto& data) {
          const auto& other = std::get<std::remove_cvref_t<decltype(data)>>(expected[i].data);
          for (size_t j = 0; j < data.size(); ++j)
            if (const double distance = ulps(found[i].dtype, data[j], other[j]); distance > worst) {
              worst = distance;
              where = static_cast<int64_t>(j);
            }
        },
        found[i].data);
    const auto at = [&](const Memory& memory) {
      return std::visit([&](const auto& data) { return fmt::format("{}", data[static_cast<size_t>(where)]); }, memory.data);
    };
    const std::string what =
        fmt::format("{} of {}: {} {} gives {}, not {}", i - inputs.size() < ops.size() ? ir::name(ops[i - inputs.size()]) : "?",
                    ir::name(inputs[0].dtype), at(inputs[0]), at(inputs.back()), at(found[i]), at(expected[i]));
    CHECK_MESSAGE(worst <= tolerance, what);
  }
}

/// The first `count` elements of each.
std::vector<Memory> first(std::vector<Memory> memory, int64_t count) {
  for (Memory& one : memory) std::visit([&](auto& data) { data.resize(static_cast<size_t>(count)); }, one.data);
  return memory;
}

void checkAll(const std::vector<Op>& ops, DType dtype, double tolerance) {
  runtime::Orc orc;
  const ir::Target target = runtime::Orc::host(1);
  const std::vector<Memory> inputs = pairsOf(dtype);
  const int64_t count = sizeOf(inputs[0]);
  // 16 lanes, the last vector partly active; then scalars.
  check(orc, tests::pointwiseKernel({dtype, dtype}, count, 16, applying(ops)), target, inputs, tolerance, ops);
  const int64_t few = std::min<int64_t>(count, 400);
  check(orc, tests::pointwiseKernel({dtype, dtype}, few, 1, applying(ops)), target, first(inputs, few), tolerance, ops);
}

}  // namespace

TEST_CASE("exact operations on floating dtypes equal the interpreter's, special values included") {
  for (const DType dtype : floatingDtypes) checkAll(exactOps, dtype, 0);
}

TEST_CASE("functions on floating dtypes are within their bounds") {
  // f16, bf16 and f8 round an f32 result that is off by an ulp of f32 at most: the neighbour at worst.
  for (const DType dtype : {DType::F8E4M3, DType::F8E5M2, DType::F16, DType::BF16}) checkAll(mathOps, dtype, 1);
  checkAll(mathOps, DType::F32, 3);
  checkAll(mathOps, DType::F64, 4.5);
  for (const DType dtype : {DType::F16, DType::BF16}) checkAll(libraryOps, dtype, 1);
  for (const DType dtype : {DType::F32, DType::F64}) checkAll(libraryOps, dtype, 4.5);
}

TEST_CASE("operations on integers equal the interpreter's") {
  for (const DType dtype : integerDtypes) checkAll(integerOps, dtype, 0);
  checkAll(boolOps, DType::Bool, 0);
}

TEST_CASE("operands that do not depend on the lane, on either side") {
  runtime::Orc orc;
  const ir::Target target = runtime::Orc::host(1);
  const auto checkMixed = [&](const std::vector<Op>& ops, DType dtype, double tolerance) {
    std::vector<Op> binary;
    for (const Op op : ops)
      if (ir::arity(op) == 2) binary.insert(binary.end(), 2, op);
    const tests::Body mixed = [&](ExprPool& pool, const std::vector<const Expr*>& loads) {
      const Expr* three = pool.integer(dtype, 3);
      std::vector<const Expr*> values;
      for (size_t i = 0; i < binary.size(); i += 2) {
        values.push_back(pool.make(binary[i], {loads[0], three}));
        values.push_back(pool.make(binary[i], {three, defined(pool, binary[i], loads[0])}));
      }
      return values;
    };
    const std::vector<Memory> inputs{pairsOf(dtype)[1]};
    check(orc, tests::pointwiseKernel({dtype}, sizeOf(inputs[0]), 16, mixed), target, inputs, tolerance, binary);
  };
  for (const DType dtype : {DType::F16, DType::F32, DType::F64}) checkMixed(exactOps, dtype, 0);
  for (const DType dtype : {DType::F16, DType::F32, DType::F64}) checkMixed(mathOps, dtype, 4.5);
  for (const DType dtype : {DType::U8, DType::I16, DType::I32, DType::I64}) checkMixed(integerOps, dtype, 0);
  checkMixed(boolOps, DType::Bool, 0);
}

TEST_CASE("casts equal the interpreter's, between all dtypes") {
  runtime::Orc orc;
  const ir::Target target = runtime::Orc::host(1);
  std::vector<DType> all = floatingDtypes;
  all.insert(all.end(), integerDtypes.begin(), integerDtypes.end());
  all.push_back(DType::Bool);
  for (const DType from : all) {
    const tests::Body casts = [&](ExprPool& pool, const std::vector<const Expr*>& loads) {
      std::vector<const Expr*> values;
      for (const DType to : all) {
        const Expr* x = loads[0];
        if (ir::isFloating(from) && ir::isIntegral(to)) {
          // Only what fits is defined.
          const double least = ir::isSigned(to) ? -100 : 0;
          x = pool.make(Op::Where, {pool.make(Op::IsNan, {x}), pool.constant(from, 0), x});
          x = pool.make(Op::Min, {pool.make(Op::Max, {x, pool.constant(from, least)}), pool.constant(from, 100)});
        }
        values.push_back(pool.cast(to, x));
      }
      return values;
    };
    const std::vector<Memory> inputs{pairsOf(from)[1]};
    check(orc, tests::pointwiseKernel({from}, sizeOf(inputs[0]), 16, casts), target, inputs, 0, {});
    const int64_t few = std::min<int64_t>(sizeOf(inputs[0]), 80);
    check(orc, tests::pointwiseKernel({from}, few, 1, casts), target, first(inputs, few), 0, {});
  }
}

TEST_CASE("the same on CPUs with AVX2 and with SSE2 alone") {
  runtime::Orc orc;
  ir::Target target = runtime::Orc::host(1);
  const auto checkOn = [&](const char* arch, const char* features, int vectorBytes) {
    target.arch = arch;
    target.features = features;
    target.vectorBytes = vectorBytes;
    for (const DType dtype : {DType::F16, DType::F32, DType::F64}) {
      const std::vector<Memory> inputs = first(pairsOf(dtype), 1001);
      check(orc, tests::pointwiseKernel({dtype, dtype}, 1001, 16, applying(exactOps)), target, inputs, 0, exactOps);
      check(orc, tests::pointwiseKernel({dtype, dtype}, 1001, 16, applying(mathOps)), target, inputs, 4.5, mathOps);
      check(orc, tests::pointwiseKernel({dtype, dtype}, 1001, 16, applying(libraryOps)), target, inputs, 4.5, libraryOps);
    }
    for (const DType dtype : {DType::U8, DType::I32, DType::I64}) {
      const std::vector<Memory> inputs = first(pairsOf(dtype), 401);
      check(orc, tests::pointwiseKernel({dtype, dtype}, 401, 8, applying(integerOps)), target, inputs, 0, integerOps);
    }
  };
  if (target.vectorBytes >= 32) checkOn("haswell", "+avx2,+fma,+f16c", 32);
  checkOn("x86-64", "", 16);
}
