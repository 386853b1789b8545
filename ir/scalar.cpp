#include "ir/scalar.h"

#include <Eigen/Core>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "ir/error.h"
#include "ir/routines/routines.h"

namespace ir {
namespace {

/// A binary floating format of 8 bits: explicit mantissa bits, exponent of its smallest normal, largest value.
struct Format {
  int mantissa;
  int minExponent;
  double largest;
  double beyond;  ///< what a larger magnitude becomes
};

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();
constexpr Format f8e4m3{3, -6, 448.0, notANumber};
constexpr Format f8e5m2{2, -14, 57344.0, infinity};

double roundTo(const Format& format, double value) {
  if (value == 0 || !std::isfinite(value)) return std::isinf(value) && std::isnan(format.beyond) ? notANumber : value;
  const int exponent = std::max(std::ilogb(value), format.minExponent);
  const double unit = std::ldexp(1.0, exponent - format.mantissa);
  const double rounded = std::nearbyint(value / unit) * unit;
  return std::abs(rounded) > format.largest ? std::copysign(format.beyond, value) : rounded;
}

/// `value` rounded to odd: to itself where f32 holds it, otherwise to its neighbour in f32 with the odd last bit. What is rounded
/// so rounds to a narrower format as `value` itself does: it lies on the same side of every value and tie of that format.
float toOdd(double value) {
  const auto nearest = static_cast<float>(value);
  if (nearest == value || std::isnan(value) || (std::bit_cast<uint32_t>(nearest) & 1) != 0) return nearest;
  return std::nextafter(nearest,
                        value > nearest ? std::numeric_limits<float>::infinity() : -std::numeric_limits<float>::infinity());
}

/// Of Eigen's half or bfloat16, which round f32.
template <typename Narrow>
double roundTo(double value) {
  return std::isnan(value) ? value : static_cast<float>(Narrow(toOdd(value)));
}

/// The 53 bits of an integer that decide how it rounds to f32 or less: the last one is set if anything below it was.
double forRounding(int64_t value, bool isUnsigned) {
  const uint64_t magnitude = isUnsigned || value >= 0 ? static_cast<uint64_t>(value) : -static_cast<uint64_t>(value);
  constexpr uint64_t low = (1U << 11) - 1;
  const bool isExact = magnitude <= (1ULL << 53);
  const uint64_t kept = isExact ? magnitude : (magnitude & ~low) | ((magnitude & low) != 0 ? low + 1 : 0);
  return isUnsigned || value >= 0 ? static_cast<double>(kept) : -static_cast<double>(kept);
}

double fromInteger(DType to, DType from, int64_t value) {
  const bool isUnsigned = from == DType::U64;
  if (to == DType::F64) return isUnsigned ? static_cast<double>(static_cast<uint64_t>(value)) : static_cast<double>(value);
  return round(to, forRounding(value, isUnsigned));
}

int64_t truncate(DType to, double value) {
  if (std::isnan(value)) return 0;
  if (to == DType::U64 && value >= 0x1p64) return -1;
  if (to == DType::U64 && value >= 0) return static_cast<int64_t>(static_cast<uint64_t>(value));
  if (value >= 0x1p63) return std::numeric_limits<int64_t>::max();
  return value < -0x1p63 ? std::numeric_limits<int64_t>::min() : static_cast<int64_t>(value);
}

int64_t wrapping(Op op, uint64_t a, uint64_t b) {
  return static_cast<int64_t>(op == Op::Add ? a + b : op == Op::Sub ? a - b : a * b);
}

/// Div, FloorDiv, Mod and Rem; the one quotient that overflows wraps.
template <typename T>
int64_t divided(Op op, DType dtype, T a, T b) {
  if (b == 0) fail(ErrorKind::Input, "{} of the {} value {} by zero", name(op), name(dtype), a);
  if (std::is_signed_v<T> && b == static_cast<T>(-1)) return op == Op::Div || op == Op::FloorDiv ? wrapping(Op::Sub, 0, a) : 0;
  const T quotient = a / b;
  const T rest = a % b;
  const bool isBelow = rest != 0 && (rest < 0) != (b < 0);
  if (op == Op::Div) return static_cast<int64_t>(quotient);
  if (op == Op::FloorDiv) return static_cast<int64_t>(isBelow ? quotient - 1 : quotient);
  if (op == Op::Mod) return static_cast<int64_t>(isBelow ? rest + b : rest);
  return static_cast<int64_t>(rest);
}

int64_t divided(Op op, DType dtype, int64_t a, int64_t b) {
  if (dtype == DType::U64) return divided<uint64_t>(op, dtype, static_cast<uint64_t>(a), static_cast<uint64_t>(b));
  return divided<int64_t>(op, dtype, a, b);
}

bool less(DType dtype, int64_t a, int64_t b) {
  return dtype == DType::U64 ? static_cast<uint64_t>(a) < static_cast<uint64_t>(b) : a < b;
}

int64_t shiftedRight(DType dtype, int64_t a, int64_t by) {
  return dtype == DType::U64 ? static_cast<int64_t>(static_cast<uint64_t>(a) >> (by & 63)) : a >> (by & 63);
}

[[noreturn]] void refuse(Op op, std::string_view values) {
  fail(ErrorKind::Internal, "{} has no meaning on {} values", name(op), values);
}

/// Before the result is wrapped to `dtype`.
int64_t evaluateWide(Op op, DType dtype, int64_t a, int64_t b) {
  switch (op) {
    case Op::Neg: return wrapping(Op::Sub, 0, static_cast<uint64_t>(a));
    case Op::Not: return dtype == DType::Bool ? static_cast<int64_t>(a == 0) : ~a;
    case Op::Abs: return less(dtype, a, 0) ? wrapping(Op::Sub, 0, static_cast<uint64_t>(a)) : a;
    case Op::Add:
    case Op::Sub:
    case Op::Mul: return wrapping(op, static_cast<uint64_t>(a), static_cast<uint64_t>(b));
    case Op::Div:
    case Op::FloorDiv:
    case Op::Mod:
    case Op::Rem: return divided(op, dtype, a, b);
    case Op::Max: return less(dtype, a, b) ? b : a;
    case Op::Min: return less(dtype, b, a) ? b : a;
    case Op::And: return a & b;
    case Op::Or: return a | b;
    case Op::Xor: return a ^ b;
    case Op::Shl: return static_cast<int64_t>(static_cast<uint64_t>(a) << (b & 63));
    case Op::Shr: return shiftedRight(dtype, a, b);
    case Op::Eq: return static_cast<int64_t>(a == b);
    case Op::Ne: return static_cast<int64_t>(a != b);
    case Op::Lt: return static_cast<int64_t>(less(dtype, a, b));
    case Op::Le: return static_cast<int64_t>(!less(dtype, b, a));
    case Op::Floor:
    case Op::Ceil:
    case Op::Trunc:
    case Op::Round:
    case Op::Sqrt:
    case Op::Rsqrt:
    case Op::Exp:
    case Op::Expm1:
    case Op::Log:
    case Op::Log2:
    case Op::Log1p:
    case Op::Sin:
    case Op::Cos:
    case Op::Tanh:
    case Op::Erf:
    case Op::IsNan:
    case Op::Pow:
    case Op::LogAddExp:
    case Op::CopySign:
#define FUNCTION(name, ...) case Op::name:
#define ROUTINE(name, ...) case Op::name:
#include "ir/ops.def"
    case Op::Where:
    case Op::Philox:
    case Op::Cast:
    case Op::Const:
    case Op::Axis:
    case Op::Load:
    case Op::Reduce:
    case Op::Scan: refuse(op, "integer");
  }
  refuse(op, "integer");
}

uint32_t low(uint64_t word) { return static_cast<uint32_t>(word); }
uint32_t high(uint64_t word) { return static_cast<uint32_t>(word >> 32); }

uint32_t philoxWord(int64_t seed, int64_t draw, int64_t index) {
  const auto key = static_cast<uint64_t>(seed), above = static_cast<uint64_t>(draw), place = static_cast<uint64_t>(index);
  const uint64_t below = place / 4;
  return philox({low(below), high(below), low(above), high(above)}, {low(key), high(key)})[place % 4];
}

/// The second operand; of one operand, that one, which then goes unused.
template <typename T>
T second(std::span<const T> operands) {
  return operands.size() > 1 ? operands[1] : operands[0];
}

double larger(double a, double b) { return std::isnan(a) || a > b ? a : b; }
double smaller(double a, double b) { return std::isnan(a) || a < b ? a : b; }

double logAddExp(double a, double b) { return std::fmax(a, b) + std::log1p(std::exp(a == b ? 0 : -std::abs(a - b))); }

/// A function of the C library, of one operand or two.
double call(double (*function)(double), std::span<const double> operands) { return function(operands[0]); }
double call(double (*function)(double, double), std::span<const double> operands) { return function(operands[0], operands[1]); }

}  // namespace

double round(DType dtype, double value) {
  switch (dtype) {
    case DType::F8E4M3: return roundTo(f8e4m3, value);
    case DType::F8E5M2: return roundTo(f8e5m2, value);
    case DType::F16: return roundTo<Eigen::half>(value);
    case DType::BF16: return roundTo<Eigen::bfloat16>(value);
    case DType::F32: return static_cast<double>(static_cast<float>(value));
    case DType::Bool:
    case DType::U8:
    case DType::I8:
    case DType::U16:
    case DType::I16:
    case DType::U32:
    case DType::I32:
    case DType::U64:
    case DType::I64:
    case DType::F64:
    case DType::C32:
    case DType::C64:
    case DType::C128: return value;
  }
  return value;
}

bool holds(DType dtype, double value) {
  const double rounded = round(dtype, value);
  return std::isnan(rounded) == std::isnan(value) && std::isinf(rounded) == std::isinf(value);
}

int64_t wrap(DType dtype, int64_t value) {
  if (dtype == DType::Bool) return static_cast<int64_t>(value != 0);
  const int unused = static_cast<int>(64 - 8 * sizeOf(dtype));
  const uint64_t high = static_cast<uint64_t>(value) << unused;
  return isSigned(dtype) ? static_cast<int64_t>(high) >> unused : static_cast<int64_t>(high >> unused);
}

int64_t lowest(DType dtype) {
  return isSigned(dtype) ? wrap(dtype, static_cast<int64_t>(uint64_t{1} << (8 * sizeOf(dtype) - 1))) : 0;
}

int64_t highest(DType dtype) { return isSigned(dtype) ? ~lowest(dtype) : wrap(dtype, -1); }

Scalar convert(DType to, DType from, const Scalar& value) {
  if (const int64_t* integer = std::get_if<int64_t>(&value)) {
    if (isFloating(to)) return fromInteger(to, from, *integer);
    return wrap(to, *integer);
  }
  const double floating = std::get<double>(value);
  if (isFloating(to)) return round(to, floating);
  if (to == DType::Bool) return static_cast<int64_t>(floating != 0);
  return wrap(to, truncate(to, floating));
}

std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t first = 0xD2511F53ULL * counter[0], second = 0xCD9E8D57ULL * counter[2];
    counter = {high(second) ^ counter[1] ^ key[0], low(second), high(first) ^ counter[3] ^ key[1], low(first)};
    key = {key[0] + 0x9E3779B9U, key[1] + 0xBB67AE85U};
  }
  return counter;
}

int64_t evaluate(Op op, DType dtype, std::span<const int64_t> operands) {
  if (op == Op::Philox) return philoxWord(operands[0], operands[1], operands[2]);
  const int64_t result = evaluateWide(op, dtype, operands.front(), second(operands));
  return isPredicate(op) ? result : wrap(dtype, result);
}

bool test(Op op, std::span<const double> operands) {
  const double a = operands.front();
  const double b = second(operands);
  if (op == Op::IsNan) return std::isnan(a);
  if (op == Op::Eq) return a == b;
  if (op == Op::Ne) return a != b;
  if (op == Op::Lt) return a < b;
  require(op == Op::Le, "{} is no predicate", name(op));
  return a <= b;
}

double evaluate(Op op, std::span<const double> operands) {
  const double a = operands.front();
  const double b = second(operands);
  switch (op) {
    case Op::Neg: return -a;
    case Op::Abs: return std::abs(a);
    case Op::Floor: return std::floor(a);
    case Op::Ceil: return std::ceil(a);
    case Op::Trunc: return std::trunc(a);
    case Op::Round: return std::nearbyint(a);
    case Op::Sqrt: return std::sqrt(a);
    case Op::Rsqrt: return 1.0 / std::sqrt(a);
    case Op::Exp: return std::exp(a);
    case Op::Expm1: return std::expm1(a);
    case Op::Log: return std::log(a);
    case Op::Log2: return std::log2(a);
    case Op::Log1p: return std::log1p(a);
    case Op::Sin: return std::sin(a);
    case Op::Cos: return std::cos(a);
    case Op::Tanh: return std::tanh(a);
    case Op::Erf: return std::erf(a);
    case Op::Add: return a + b;
    case Op::Sub: return a - b;
    case Op::Mul: return a * b;
    case Op::Div: return a / b;
    case Op::Rem: return std::fmod(a, b);
    case Op::Pow: return std::pow(a, b);
    case Op::LogAddExp: return logAddExp(a, b);
    case Op::CopySign: return std::copysign(a, b);
#define FUNCTION(name, text, arity, symbol, form) \
  case Op::name: return call(::symbol, operands);
#define ROUTINE(name, symbol) \
  case Op::name: return symbol(a, b);
#include "ir/ops.def"
    case Op::Max: return std::isnan(b) ? b : larger(a, b);
    case Op::Min: return std::isnan(b) ? b : smaller(a, b);
    case Op::Not:
    case Op::FloorDiv:
    case Op::Mod:
    case Op::And:
    case Op::Or:
    case Op::Xor:
    case Op::Shl:
    case Op::Shr:
    case Op::Eq:
    case Op::Ne:
    case Op::Lt:
    case Op::Le:
    case Op::IsNan:
    case Op::Where:
    case Op::Philox:
    case Op::Cast:
    case Op::Const:
    case Op::Axis:
    case Op::Load:
    case Op::Reduce:
    case Op::Scan: refuse(op, "floating");
  }
  refuse(op, "floating");
}

Scalar combine(Op op, DType dtype, const Scalar& a, const Scalar& b) {
  require(isReduction(op), "{} combines no values", name(op));
  if (isFloating(dtype)) return evaluate(op, std::array{std::get<double>(a), std::get<double>(b)});
  return evaluate(op, dtype, std::array{std::get<int64_t>(a), std::get<int64_t>(b)});
}

}  // namespace ir
