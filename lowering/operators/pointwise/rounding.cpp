// Rounding, neighbours, signs, extremes and numbers that are none.
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

/// Whether the sign bit is set, as -0 and NaN may have it, too.
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

/// Properties of a floating dtype: the unit roundoff, the least and the largest positive number.
struct Spacing {
  double roundoff, least, largest;
};
Spacing spacingOf(ir::DType dtype) {
  if (dtype == ir::DType::F16) return {0x1p-11, 0x1p-24, 65504};
  if (dtype == ir::DType::BF16) return {0x1p-8, 0x1p-133, 0x1.fep127};
  if (dtype == ir::DType::F32) return {0x1p-24, 0x1p-149, std::numeric_limits<float>::max()};
  return {0x1p-53, 0x1p-1074, std::numeric_limits<double>::max()};
}

/// The next number of a dtype after a positive one, before it if `sign` is -1; as f64, which the dtype rounds to it. A bit more
/// than half a unit in the last place is added (Rump, Zimmermann, Boldo and Melquiond, "Computing predecessor and successor in
/// rounding to nearest", BIT 49, 2009). That product loses bits of small numbers of f64, which are scaled.
Value neighbour(Value size, Value sign, ir::DType dtype) {
  const auto [roundoff, least, largest] = spacingOf(dtype);
  const double share = roundoff * (1 + 2 * roundoff);
  if (dtype != ir::DType::F64) return size + sign * max(size * share, least);
  const Value scaled = size * (1 / roundoff);
  const Value ofSmall = where(size < least / roundoff, size + sign * least, (scaled + sign * (scaled * share)) * roundoff);
  return where(size < least / roundoff / roundoff, ofSmall, size + sign * (size * share));
}

/// The number after the first operand in the direction of the second one.
Tensors nextAfter(Context& c) {
  const ir::DType dtype = c.outputType().dtype;
  return pointwise(c, [dtype](Value from, Value to) {
    const Value x = cast(from, ir::DType::F64), y = cast(to, ir::DType::F64), size = abs(x);
    const Value isOutward = (x == 0.0) | ((y > x) == (x > 0.0));
    const Value next = neighbour(size, where(isOutward, x.like(1), x.like(-1)), dtype);
    const Value finite = where(size == INFINITY, spacingOf(dtype).largest, next);
    const Value value = where(x == y, y, copysign(finite, where(x == 0.0, y, x)));
    return cast(where(isNan(x) | isNan(y), x + y, value), from.dtype());
  });
}
const Lowering nextafter{"aten::nextafter", nextAfter};

/// Numbers in place of NaN and of infinities: without others the largest and lowest of the dtype.
Tensors nanToNum(Context& c) {
  const ir::DType dtype = c.outputType().dtype;
  const auto number = [&](const char* name, double other) { return c.isNone(name) ? other : c.number(name); };
  const double largest = spacingOf(dtype).largest;
  const double nan = number("nan", 0), top = number("posinf", largest), bottom = number("neginf", -largest);
  return pointwise(c, {"self"}, [=](Value x) {
    if (!ir::isFloating(x.dtype())) return x;
    return where(isNan(x), nan, where(x == INFINITY, top, where(x == -INFINITY, bottom, x)));
  });
}
const Lowering nanToNumOf{"aten::nan_to_num", nanToNum};

}  // namespace
}  // namespace lowering
