// Arithmetic.
#include <cmath>

#include "ir/error.h"
#include "lowering/tensor/pointwise.h"

namespace lowering {
namespace {

constexpr auto intToFloat = Promotion::IntToFloat;

Value identity(Value x) { return x; }

/// The quotient rounded down: integers exactly, floating point as Python's floor division (and ATen's div_floor_floating).
Value floorDivide(Value x, Value y) {
  if (!ir::isFloating(x.dtype())) return floorDiv(x, y);
  const Value remainder = rem(x, y);
  const Value exact = (x - remainder) / y;
  const Value quotient = where((remainder != 0.0) & ((y < 0.0) ^ (remainder < 0.0)), exact - 1.0, exact);
  const Value down = floor(quotient);
  const Value nearest = where(quotient - down > 0.5, down + 1.0, down);
  return where(y == 0.0, x / y, where(quotient == 0.0, x / y * 0.0, nearest));
}

/// What is left of floor division: the sign of the divisor.
Value remainder(Value x, Value y) {
  if (!ir::isFloating(x.dtype())) return mod(x, y);
  const Value left = rem(x, y);
  return where((left != 0.0) & ((y < 0.0) ^ (left < 0.0)), left + y, left);
}

Value truncate(Value x) { return ir::isFloating(x.dtype()) ? trunc(x) : x; }

/// x to the power y, of integers, by a square for each bit of y. Negative powers of 1 and -1 are whole, others are 0.
Value wholePower(Value x, Value y) {
  const auto isOdd = [](Value number) { return (number & 1) == 1; };
  const int bits = static_cast<int>(8 * ir::sizeOf(y.dtype())) - (ir::isSigned(y.dtype()) ? 1 : 0);
  Value product = x.like(1), square = x;
  for (int bit = 0; bit < bits; ++bit, square = square * square)
    product = where(isOdd(ir::apply(ir::Op::Shr, y, y.like(bit))), product * square, product);
  if (!ir::isSigned(y.dtype())) return product;
  const Value ofMinus1 = where(isOdd(y), x.like(-1), x.like(1));
  return where(y < 0, where(x == 1, x, where(x == -1, ofMinus1, x.like(0))), product);
}
Value power(Value x, Value y) { return ir::isFloating(x.dtype()) ? ir::pow(x, y) : wholePower(x, y); }

/// x to a constant power: products and roots where ATen uses them.
Value powerOf(Value x, double exponent) {
  if (exponent == 1) return x;
  if (exponent == 2) return x * x;
  if (exponent == 3) return x * x * x;
  if (ir::isFloating(x.dtype())) {
    if (exponent == 0.5) return sqrt(x);
    if (exponent == -0.5) return rsqrt(x);
    if (exponent == -1) return 1.0 / x;
    if (exponent == -2) return 1.0 / (x * x);
  }
  return power(x, x.like(exponent));
}

/// Whether a bound is NaN.
bool isNaN(const Context& c, const std::string& bound) { return c.argument(bound).is<double>() && std::isnan(c.number(bound)); }

/// x held between the bounds that are given; NaN stays.
Tensors clampBetween(Context& c) {
  const bool hasOne = c.isNone("min") || c.isNone("max");
  if (c.aten().clampIgnoresNaN && hasOne && isNaN(c, c.isNone("min") ? "max" : "min")) return pointwise(c, {"self"}, identity);
  if (c.isNone("min")) return pointwise(c, {"self", "max"}, [](Value x, Value high) { return min(x, high); });
  if (c.isNone("max")) return pointwise(c, {"self", "min"}, [](Value x, Value low) { return max(x, low); });
  return pointwise(c, {"self", "min", "max"}, [](Value x, Value low, Value high) { return min(max(x, low), high); });
}

Tensors divideRounding(Context& c) {
  if (c.isNone("rounding_mode")) return pointwise(c, [](Value x, Value y) { return x / y; }, intToFloat);
  if (c.text("rounding_mode") == "floor") return pointwise(c, floorDivide);
  return pointwise(c, [](Value x, Value y) { return truncate(x / y); });
}

/// Sums and differences whose second operand is scaled, unless by 1.
template <typename Sum>
Tensors scaledSum(Context& c, Sum sum) {
  if (c.number("alpha") == 1) return pointwise(c, [sum](Value x, Value y) { return sum(x, y); });
  return pointwise(c, [sum](Value x, Value y, Value alpha) { return sum(x, alpha * y); });
}
const Lowering add{"aten::add", [](Context& c) { return scaledSum(c, [](Value x, Value y) { return x + y; }); }};
const Lowering sub{"aten::sub", [](Context& c) { return scaledSum(c, [](Value x, Value y) { return x - y; }); }};
const Lowering rsub{"aten::rsub", [](Context& c) {
                      if (c.number("alpha") == 1) return pointwise(c, [](Value x, Value y) { return y - x; });
                      return pointwise(c, [](Value x, Value y, Value alpha) { return y - alpha * x; });
                    }};
const Lowering mul{"aten::mul", [](Context& c) { return pointwise(c, [](Value x, Value y) { return x * y; }); }};
const Lowering div{"aten::div", [](Context& c) { return pointwise(c, [](Value x, Value y) { return x / y; }, intToFloat); }};
const Lowering divTensorMode{"aten::div.Tensor_mode", divideRounding};
const Lowering divScalarMode{"aten::div.Scalar_mode", divideRounding};
const Lowering floorDivision{"aten::floor_divide", [](Context& c) { return pointwise(c, floorDivide); }};
const Lowering remainderOf{"aten::remainder", [](Context& c) { return pointwise(c, remainder); }};
const Lowering fmodOf{"aten::fmod", [](Context& c) { return pointwise(c, [](Value x, Value y) { return rem(x, y); }); }};
/// ATen's host scales the first factor, its kernels on CUDA the product.
const Lowering addcmul{"aten::addcmul", [](Context& c) {
                         return pointwise(c, [isHost = c.followsHost()](Value x, Value a, Value b, Value scale) {
                           return isHost ? x + scale * a * b : x + scale * (a * b);
                         });
                       }};
const Lowering addcdiv{"aten::addcdiv", [](Context& c) {
                         return pointwise(c, [](Value x, Value a, Value b, Value scale) { return x + scale * a / b; });
                       }};
const Lowering minimum{"aten::minimum", [](Context& c) { return pointwise(c, [](Value x, Value y) { return min(x, y); }); }};
const Lowering maximum{"aten::maximum", [](Context& c) { return pointwise(c, [](Value x, Value y) { return max(x, y); }); }};
const Lowering clamp{"aten::clamp", clampBetween};
const Lowering clampMin{"aten::clamp_min",
                        [](Context& c) { return pointwise(c, [](Value x, Value low) { return max(x, low); }); }};
const Lowering clampMax{"aten::clamp_max",
                        [](Context& c) { return pointwise(c, [](Value x, Value high) { return min(x, high); }); }};

const Lowering pow{"aten::pow", [](Context& c) { return pointwise(c, power); }};
Tensors constantPower(Context& c) {
  const double exponent = c.number("exponent");
  return pointwise(c, [exponent](Value x, Value) { return powerOf(x, exponent); });
}
const Lowering powTensorScalar{"aten::pow.Tensor_Scalar", constantPower};
const Lowering powInPlace{"aten::pow_.Scalar", constantPower};  // named otherwise than what it does in place

const Lowering neg{"aten::neg", [](Context& c) { return pointwise(c, [](Value x) { return -x; }); }};
const Lowering absolute{"aten::abs", [](Context& c) { return pointwise(c, [](Value x) { return ir::abs(x); }); }};
const Lowering square{"aten::square", [](Context& c) { return pointwise(c, [](Value x) { return x * x; }); }};
const Lowering positive{"aten::positive", [](Context& c) { return pointwise(c, identity); }};
const Lowering reciprocal{"aten::reciprocal",
                          [](Context& c) { return pointwise(c, [](Value x) { return 1.0 / x; }, intToFloat); }};

}  // namespace
}  // namespace lowering
