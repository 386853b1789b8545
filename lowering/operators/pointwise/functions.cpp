// Elementary functions, and what is made of few of them.
#include <cmath>
#include <numbers>

#include "lowering/tensor/pointwise.h"

namespace lowering {
namespace {

using std::numbers::ln2;
using std::numbers::pi;

/// A function of one argument, of integers through f32.
template <Value (*function)(Value)>
Tensors elementary(Context& c) {
  return pointwise(c, [](Value x) { return function(x); }, Promotion::IntToFloat);
}
template <Value (*function)(Value, Value)>
Tensors elementaryOfTwo(Context& c) {
  return pointwise(c, [](Value x, Value y) { return function(x, y); }, Promotion::IntToFloat);
}
const Lowering sqrtOf{"aten::sqrt", elementary<ir::sqrt>};
const Lowering rsqrtOf{"aten::rsqrt", elementary<ir::rsqrt>};
const Lowering expOf{"aten::exp", elementary<ir::exp>};
const Lowering exp2Of{"aten::exp2", elementary<ir::exp2>};
const Lowering expm1Of{"aten::expm1", elementary<ir::expm1>};
const Lowering logOf{"aten::log", elementary<ir::log>};
const Lowering log2Of{"aten::log2", elementary<ir::log2>};
const Lowering log10Of{"aten::log10", elementary<ir::log10>};
const Lowering log1pOf{"aten::log1p", elementary<ir::log1p>};
const Lowering sinOf{"aten::sin", elementary<ir::sin>};
const Lowering cosOf{"aten::cos", elementary<ir::cos>};
const Lowering tanOf{"aten::tan", elementary<ir::tan>};
const Lowering asinOf{"aten::asin", elementary<ir::asin>};
const Lowering acosOf{"aten::acos", elementary<ir::acos>};
const Lowering atanOf{"aten::atan", elementary<ir::atan>};
const Lowering atan2Of{"aten::atan2", elementaryOfTwo<ir::atan2>};
const Lowering sinhOf{"aten::sinh", elementary<ir::sinh>};
const Lowering coshOf{"aten::cosh", elementary<ir::cosh>};
const Lowering tanhOf{"aten::tanh", elementary<ir::tanh>};
const Lowering asinhOf{"aten::asinh", elementary<ir::asinh>};
const Lowering acoshOf{"aten::acosh", elementary<ir::acosh>};
const Lowering atanhOf{"aten::atanh", elementary<ir::atanh>};
const Lowering erfOf{"aten::erf", elementary<ir::erf>};
const Lowering hypotOf{"aten::hypot", elementaryOfTwo<ir::hypot>};
const Lowering copysignOf{"aten::copysign", elementaryOfTwo<ir::copysign>};

// ---------------------------------------------------------------------------------------------------------------------
// Logarithms of sums and products.

/// The difference of equal infinities is 0 here.
Value logAddExp2(Value x, Value y) {
  const Value apart = where(x == y, 0.0, abs(x - y));
  return max(x, y) + log1p(exp2(-apart)) * (1 / ln2);
}
/// x times a function of y, which is 0 where x is, whatever the function is, unless y is NaN.
template <Value (*function)(Value)>
Value timesFunction(Value x, Value y) {
  return where(isNan(y), y, where(x == 0.0, 0.0, x * function(y)));
}
Value entropy(Value x) { return where(x == 0.0, 0.0, where(x < 0.0, -INFINITY, -x * log(x))); }

const Lowering logaddexp{"aten::logaddexp", elementaryOfTwo<ir::logAddExp>};
const Lowering logaddexp2{"aten::logaddexp2", elementaryOfTwo<logAddExp2>};
const Lowering xlogy{"aten::xlogy", elementaryOfTwo<timesFunction<ir::log>>};
const Lowering specialXlog1py{"aten::special_xlog1py", elementaryOfTwo<timesFunction<ir::log1p>>};
const Lowering specialEntr{"aten::special_entr", elementary<entropy>};

/// The logarithm of odds, of numbers held away from 0 and 1 by `eps`.
Tensors logit(Context& c) {
  const double eps = c.isNone("eps") ? -1 : c.number("eps");
  return pointwise(
      c, {"self"},
      [eps](Value x) {
        const Value inside = eps < 0 ? x : where(x < eps, eps, where(x > 1 - eps, 1 - eps, x));
        return log(inside / (1.0 - inside));
      },
      Promotion::IntToFloat);
}
Tensors logitBackward(Context& c) {
  const double eps = c.isNone("eps") ? -1 : c.number("eps");
  return pointwise(c, {"grad_output", "self"}, [eps](Value grad, Value x) {
    const Value slope = grad / (x * (1.0 - x));
    if (eps >= 0) return where((x < eps) | (x > 1 - eps), 0.0, slope);
    return where((x < 0.0) | (x > 1.0), NAN, slope);
  });
}
const Lowering logitOf{"aten::logit", logit};
const Lowering logitBackwardOf{"aten::logit_backward", logitBackward};

// ---------------------------------------------------------------------------------------------------------------------
// Others.

Value sincOf(Value x) { return where(x == 0.0, 1.0, sin(x * pi) / (x * pi)); }
/// From whichever end is nearer, so that it is the end where the weight says so.
Value lerpOf(Value start, Value end, Value weight) {
  return where(abs(weight) < 0.5, start + weight * (end - start), end - (end - start) * (1.0 - weight));
}
const Lowering sinc{"aten::sinc", elementary<sincOf>};
const Lowering lerp{"aten::lerp", [](Context& c) { return pointwise(c, lerpOf); }};
const Lowering deg2rad{"aten::deg2rad",
                       [](Context& c) { return pointwise(c, [](Value x) { return x * (pi / 180); }, Promotion::IntToFloat); }};
const Lowering rad2deg{"aten::rad2deg",
                       [](Context& c) { return pointwise(c, [](Value x) { return x * (180 / pi); }, Promotion::IntToFloat); }};
/// Of real numbers.
const Lowering angle{"aten::angle", elementary<[](Value x) { return where(x < 0.0, pi, where(isNan(x), x, 0.0)); }>};

/// A number times a power of two, which has the exponent's dtype.
const Lowering ldexp{"aten::ldexp", [](Context& c) {
                       const Tensor other = c.tensor("other");
                       const ir::DType exponent = ir::isFloating(other.dtype) ? other.dtype : ir::DType::F32;
                       const ir::DType dtype = ir::opmath(c.outputType().dtype);
                       const Tensor scale = map([](Value y) { return exp2(y); }, cast(other, ir::opmath(exponent)));
                       const Tensor product = map([](Value x, Value s) { return x * s; }, cast(c.tensor("self"), dtype),
                                                  cast(cast(scale, exponent), dtype));
                       return Tensors{cast(product, c.outputType().dtype)};
                     }};

/// A number of [1/2, 1) and the power of two that it is to be multiplied by.
Tensors frexp(Context& c) {
  const Tensor self = inOpmath(c.tensor("self"));
  const int largest = self.dtype == ir::DType::F64 ? 1024 : 128;
  struct Parts {
    Value mantissa, exponent;
  };
  // Powers of two are exact factors; where one still fits it is taken out, and so the exponent is found by bisection.
  const auto parts = [largest](Value x) {
    Parts p{x, x.like(0)};
    const Value isNumber = (abs(x) < INFINITY) & (x != 0.0);
    for (int step = largest / 2; step >= 1; step /= 2) {
      const Value isLarge = isNumber & (abs(p.mantissa) >= std::ldexp(0.5, step));
      p = {where(isLarge, p.mantissa * std::ldexp(1, -step), p.mantissa), where(isLarge, p.exponent + step * 1.0, p.exponent)};
    }
    const Value isOne = isNumber & (abs(p.mantissa) >= 1.0);  // all steps together are one less than the largest exponent
    p = {where(isOne, p.mantissa * 0.5, p.mantissa), where(isOne, p.exponent + 1.0, p.exponent)};
    for (int step = largest; step >= 1; step /= 2) {
      const Value isSmall = isNumber & (abs(p.mantissa) < std::ldexp(1, -step));
      p = {where(isSmall, p.mantissa * std::ldexp(1, step - 1) * 2.0, p.mantissa),
           where(isSmall, p.exponent - step * 1.0, p.exponent)};
    }
    return p;
  };
  return {cast(map([parts](Value x) { return parts(x).mantissa; }, self), c.outputType(0).dtype),
          lazy(c.outputType(1).dtype, self.sizes, [self, parts, dtype = c.outputType(1).dtype](const Index& index) {
            return cast(parts(self.at(index)).exponent, dtype);
          })};
}
const Lowering frexpOf{"aten::frexp", frexp};

}  // namespace
}  // namespace lowering
