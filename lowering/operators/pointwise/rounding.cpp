// Rounding, signs, extremes and numbers that are none.
#include <cmath>
#include <limits>

#include "lowering/tensor/pointwise.h"

namespace lowering {
namespace {

/// Rounding to whole numbers; integers are whole already.
template <Value (*function)(Value)>
Tensors whole(Context& c) {
  return pointwise(c, [](Value x) { return ir::isFloating(x.dtype()) ? function(x) : x; });
}
const Lowering floorOf{"aten::floor", whole<ir::floor>};
const Lowering ceilOf{"aten::ceil", whole<ir::ceil>};
const Lowering truncOf{"aten::trunc", whole<ir::trunc>};
const Lowering roundOf{"aten::round.default", whole<ir::round>};
const Lowering frac{"aten::frac", [](Context& c) { return pointwise(c, [](Value x) { return x - trunc(x); }); }};

/// To decimals; negative ones are before the point.
const Lowering roundDecimals{"aten::round.decimals", [](Context& c) {
                               const int64_t decimals = c.integer("decimals");
                               const double ten = std::pow(10.0, static_cast<double>(std::abs(decimals)));
                               return pointwise(c, {"self"}, [=](Value x) {
                                 if (!ir::isFloating(x.dtype())) return x;
                                 return decimals < 0 ? round(x / ten) * ten : round(x * ten) / ten;
                               });
                             }};

Value signOf(Value x) { return where(x > 0.0, 1.0, where(x < 0.0, -1.0, x.like(0))); }
const Lowering sgn{"aten::sgn", [](Context& c) { return pointwise(c, signOf); }};
const Lowering sign{"aten::sign", [](Context& c) { return pointwise(c, signOf); }};

/// Whether the sign bit is set, that of -0 and of NaN as well.
Value isSigned(Value x) {
  if (ir::isFloating(x.dtype())) return copysign(x.like(1), x) < 0.0;
  return ir::isSigned(x.dtype()) ? x < 0 : Value(x.pool(), x.pool().integer(ir::DType::Bool, 0));
}
const Lowering signbit{"aten::signbit", [](Context& c) { return pointwise(c, isSigned); }};
const Lowering heaviside{"aten::heaviside", [](Context& c) {
                           return pointwise(c, [](Value x, Value values) {
                             return where(x == x.like(0), values, cast(x > x.like(0), values.dtype()));
                           });
                         }};

/// The operand that is a number where the other is none.
template <Value (*extreme)(Value, Value)>
Tensors ofNumbers(Context& c) {
  return pointwise(c, [](Value x, Value y) {
    if (!ir::isFloating(x.dtype())) return extreme(x, y);
    return where(isNan(x), y, where(isNan(y), x, extreme(x, y)));
  });
}
const Lowering fmaxOf{"aten::fmax", ofNumbers<ir::max>};
const Lowering fminOf{"aten::fmin", ofNumbers<ir::min>};

/// Numbers in place of NaN and of infinities: without others the largest and lowest of the dtype.
Tensors nanToNum(Context& c) {
  const ir::DType dtype = c.outputType().dtype;
  const auto number = [&](const char* name, double other) { return c.isNone(name) ? other : c.number(name); };
  const double largest = dtype == ir::DType::F64    ? std::numeric_limits<double>::max()
                         : dtype == ir::DType::F16  ? 65504
                         : dtype == ir::DType::BF16 ? 0x1.fep127
                                                    : std::numeric_limits<float>::max();
  const double nan = number("nan", 0), top = number("posinf", largest), bottom = number("neginf", -largest);
  return pointwise(c, {"self"}, [=](Value x) {
    if (!ir::isFloating(x.dtype())) return x;
    return where(isNan(x), nan, where(x == INFINITY, top, where(x == -INFINITY, bottom, x)));
  });
}
const Lowering nanToNumOf{"aten::nan_to_num", nanToNum};

}  // namespace
}  // namespace lowering
