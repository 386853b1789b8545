#include "runtime/program/arithmetic.h"

#include <cmath>
#include <limits>

#include "ir/error.h"

namespace runtime {
namespace {

using c10::IValue;

double realOf(const IValue& value) {
  return value.isDouble() ? value.toDouble()
         : value.isBool() ? static_cast<double>(value.toBool())
                          : static_cast<double>(value.toInt());
}

int64_t wholeOf(const IValue& value) { return value.isBool() ? static_cast<int64_t>(value.toBool()) : value.toInt(); }

bool truthOf(const IValue& value) { return value.isBool() ? value.toBool() : realOf(value) != 0; }

bool isReal(const Values& values) { return values.at(0).isDouble() || (values.size() > 1 && values[1].isDouble()); }

[[noreturn]] void overflows() { ir::fail(ir::ErrorKind::Input, "an extent is larger than 64 bits hold"); }

int64_t quotient(int64_t a, int64_t b) {
  if (b == 0) ir::fail(ir::ErrorKind::Input, "an extent is divided by zero");
  if (a == std::numeric_limits<int64_t>::min() && b == -1) overflows();
  return a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
}

int64_t remainder(int64_t a, int64_t b) { return b == -1 ? 0 : a - b * quotient(a, b); }

int64_t power(int64_t base, int64_t exponent) {
  if (exponent < 0) ir::fail(ir::ErrorKind::Input, "an extent is raised to {}", exponent);
  int64_t result = 1;
  for (;; exponent /= 2) {  // by squares: there are 0, 1 and -1 to any power
    if (exponent % 2 != 0 && __builtin_mul_overflow(result, base, &result)) overflows();
    if (exponent <= 1) return result;
    if (__builtin_mul_overflow(base, base, &base)) overflows();
  }
}

/// A double as an integer.
int64_t truncated(double value) {
  if (!(std::abs(value) < 0x1p63)) overflows();
  return static_cast<int64_t>(value);
}

template <typename Whole, typename Real>
IValue binary(const Values& values, const Whole& whole, const Real& real) {
  if (isReal(values)) return real(realOf(values.at(0)), realOf(values.at(1)));
  return whole(wholeOf(values.at(0)), wholeOf(values.at(1)));
}

IValue add(const Values& v) {
  int64_t sum = 0;
  if (!isReal(v) && __builtin_add_overflow(wholeOf(v.at(0)), wholeOf(v.at(1)), &sum)) overflows();
  return isReal(v) ? IValue(realOf(v.at(0)) + realOf(v.at(1))) : IValue(sum);
}

IValue subtract(const Values& v) {
  int64_t difference = 0;
  if (!isReal(v) && __builtin_sub_overflow(wholeOf(v.at(0)), wholeOf(v.at(1)), &difference)) overflows();
  return isReal(v) ? IValue(realOf(v.at(0)) - realOf(v.at(1))) : IValue(difference);
}

IValue multiply(const Values& v) {
  int64_t product = 0;
  if (!isReal(v) && __builtin_mul_overflow(wholeOf(v.at(0)), wholeOf(v.at(1)), &product)) overflows();
  return isReal(v) ? IValue(realOf(v.at(0)) * realOf(v.at(1))) : IValue(product);
}

IValue floorDivide(const Values& v) {
  return binary(v, quotient, [](double a, double b) { return std::floor(a / b); });
}
IValue modulo(const Values& v) {
  return binary(v, remainder, [](double a, double b) { return a - b * std::floor(a / b); });
}
IValue raise(const Values& v) {
  return binary(v, power, [](double a, double b) { return std::pow(a, b); });
}
IValue divide(const Values& v) { return realOf(v.at(0)) / realOf(v.at(1)); }
IValue negate(const Values& v) { return subtract({IValue(int64_t{0}), v.at(0)}); }
IValue same(const Values& v) { return v.at(0); }
IValue equal(const Values& v) { return realOf(v.at(0)) == realOf(v.at(1)); }
IValue differ(const Values& v) { return realOf(v.at(0)) != realOf(v.at(1)); }
IValue less(const Values& v) { return realOf(v.at(0)) < realOf(v.at(1)); }
IValue atMost(const Values& v) { return realOf(v.at(0)) <= realOf(v.at(1)); }
IValue greater(const Values& v) { return realOf(v.at(0)) > realOf(v.at(1)); }
IValue atLeast(const Values& v) { return realOf(v.at(0)) >= realOf(v.at(1)); }
IValue both(const Values& v) {
  if (v.at(0).isBool()) return truthOf(v.at(0)) && truthOf(v.at(1));
  return wholeOf(v.at(0)) & wholeOf(v.at(1));
}
IValue either(const Values& v) {
  if (v.at(0).isBool()) return truthOf(v.at(0)) || truthOf(v.at(1));
  return wholeOf(v.at(0)) | wholeOf(v.at(1));
}
IValue invert(const Values& v) { return !truthOf(v.at(0)); }
IValue choose(const Values& v) { return truthOf(v.at(0)) ? v.at(1) : v.at(2); }
IValue largest(const Values& v) { return realOf(v.at(0)) < realOf(v.at(1)) ? v.at(1) : v.at(0); }
IValue smallest(const Values& v) { return realOf(v.at(1)) < realOf(v.at(0)) ? v.at(1) : v.at(0); }
IValue toReal(const Values& v) { return realOf(v.at(0)); }
IValue truncate(const Values& v) { return v.at(0).isDouble() ? truncated(v.at(0).toDouble()) : wholeOf(v.at(0)); }
IValue roundUp(const Values& v) { return truncated(std::ceil(realOf(v.at(0)))); }
IValue roundDown(const Values& v) { return truncated(std::floor(realOf(v.at(0)))); }
IValue root(const Values& v) { return std::sqrt(realOf(v.at(0))); }

/// A dimension from the front, of one that may count from the back.
int64_t dimensionOf(const at::Tensor& tensor, const Values& values) {
  return at::maybe_wrap_dim(wholeOf(values.at(1)), tensor.dim());
}

IValue sizeAt(const Values& v) { return v.at(0).toTensor().size(dimensionOf(v[0].toTensor(), v)); }
IValue strideAt(const Values& v) { return v.at(0).toTensor().stride(dimensionOf(v[0].toTensor(), v)); }
IValue elements(const Values& v) { return v.at(0).toTensor().numel(); }
IValue offset(const Values& v) { return v.at(0).toTensor().storage_offset(); }

struct NamedFunction {
  std::string_view name;
  SizeFunction function;
};

constexpr NamedFunction arithmeticTable[] = {
    {"_operator.add", {add, 2}},        {"_operator.sub", {subtract, 2}},
    {"_operator.mul", {multiply, 2}},   {"_operator.floordiv", {floorDivide, 2}},
    {"_operator.mod", {modulo, 2}},     {"_operator.pow", {raise, 2}},
    {"_operator.truediv", {divide, 2}}, {"_operator.neg", {negate, 1}},
    {"_operator.pos", {same, 1}},       {"_operator.eq", {equal, 2}},
    {"_operator.ne", {differ, 2}},      {"_operator.lt", {less, 2}},
    {"_operator.le", {atMost, 2}},      {"_operator.gt", {greater, 2}},
    {"_operator.ge", {atLeast, 2}},     {"_operator.and_", {both, 2}},
    {"_operator.or_", {either, 2}},     {"torch.sym_not", {invert, 1}},
    {"torch.sym_ite", {choose, 3}},     {"torch.sym_max", {largest, 2}},
    {"torch.sym_min", {smallest, 2}},   {"torch.sym_float", {toReal, 1}},
    {"torch.sym_int", {truncate, 1}},   {"torch._sym_sqrt", {root, 1}},
    {"torch.sym_sqrt", {root, 1}},      {"math.trunc", {truncate, 1}},
    {"math.ceil", {roundUp, 1}},        {"math.floor", {roundDown, 1}},
};

constexpr NamedFunction sizeTable[] = {
    {"aten.sym_size.int", {sizeAt, 2}},
    {"aten.sym_stride.int", {strideAt, 2}},
    {"aten.sym_numel.default", {elements, 1}},
    {"aten.sym_storage_offset.default", {offset, 1}},
};

template <size_t N>
std::optional<SizeFunction> lookUp(const NamedFunction (&table)[N], std::string_view name) {
  for (const NamedFunction& entry : table)
    if (entry.name == name) return entry.function;
  return std::nullopt;
}

}  // namespace

std::optional<SizeFunction> arithmeticOf(std::string_view target) { return lookUp(arithmeticTable, target); }

std::optional<SizeFunction> sizeOf(std::string_view op) { return lookUp(sizeTable, op); }

}  // namespace runtime
