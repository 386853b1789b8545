// Activations and their gradients. The formulas come from ATen's Activation kernels.
#include <cmath>
#include <numbers>

#include "ir/error.h"
#include "lowering/tensor/pointwise.h"

namespace lowering {
namespace {

Value logistic(Value x) { return 1.0 / (1.0 + exp(-x)); }

const Lowering relu{"aten::relu", [](Context& c) { return pointwise(c, [](Value x) { return max(x, 0.0); }); }};
const Lowering relu6{"aten::relu6", [](Context& c) { return pointwise(c, [](Value x) { return min(max(x, 0.0), 6.0); }); }};
const Lowering threshold{"aten::threshold", [](Context& c) {
                           return pointwise(c, [](Value x, Value limit, Value value) { return where(x <= limit, value, x); });
                         }};
const Lowering thresholdBackward{
    "aten::threshold_backward",
    [](Context& c) { return pointwise(c, [](Value grad, Value x, Value limit) { return where(x <= limit, 0.0, grad); }); }};

const Lowering sigmoid{"aten::sigmoid", [](Context& c) { return pointwise(c, logistic, Promotion::IntToFloat); }};
const Lowering sigmoidBackward{"aten::sigmoid_backward",
                               [](Context& c) { return pointwise(c, [](Value grad, Value y) { return grad * (1.0 - y) * y; }); }};
const Lowering tanhBackward{"aten::tanh_backward",
                            [](Context& c) { return pointwise(c, [](Value grad, Value y) { return grad * (1.0 - y * y); }); }};

const Lowering silu{"aten::silu", [](Context& c) { return pointwise(c, [](Value x) { return x / (1.0 + exp(-x)); }); }};
const Lowering siluBackward{"aten::silu_backward", [](Context& c) {
                              return pointwise(c, [](Value grad, Value x) {
                                const Value s = logistic(x);
                                return grad * s * (1.0 + x * (1.0 - s));
                              });
                            }};

/// x times the standard normal distribution function; with `approximate="tanh"` by Hendrycks and Gimpel's formula.
constexpr double tanhScale = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;  // sqrt(2/pi)
constexpr double tanhCubic = 0.044715;

Value geluExact(Value x) { return x * 0.5 * (1.0 + erf(x * (1 / std::numbers::sqrt2))); }
Value geluTanh(Value x) { return 0.5 * x * (1.0 + tanh(tanhScale * (x + tanhCubic * x * x * x))); }
Value geluExactBackward(Value grad, Value x) {
  const Value distribution = 0.5 * (1.0 + erf(x * (1 / std::numbers::sqrt2)));
  const Value density = exp(x * x * -0.5) * (std::numbers::inv_sqrtpi / std::numbers::sqrt2);
  return grad * (distribution + x * density);
}
Value geluTanhBackward(Value grad, Value x) {
  const Value t = tanh(tanhScale * (x + tanhCubic * x * x * x));
  const Value inner = tanhScale * (1.0 + 3 * tanhCubic * x * x);
  return grad * (0.5 * (1.0 + t) + 0.5 * x * (1.0 - t * t) * inner);
}
const Lowering gelu{
    "aten::gelu", [](Context& c) { return c.text("approximate") == "tanh" ? pointwise(c, geluTanh) : pointwise(c, geluExact); }};
const Lowering geluBackward{"aten::gelu_backward", [](Context& c) {
                              return c.text("approximate") == "tanh" ? pointwise(c, geluTanhBackward)
                                                                     : pointwise(c, geluExactBackward);
                            }};

/// ATen's sixth: a sixth of f32 also in f64, but for the forward passes on its host, which divide by 6.
constexpr double sixth = 1.0F / 6.0F;
double forwardSixth(const Context& c) { return c.followsHost() ? 1.0 / 6 : sixth; }

const Lowering hardswish{"aten::hardswish", [](Context& c) {
                           return pointwise(c, [by = forwardSixth(c)](Value x) { return x * min(max(x + 3.0, 0.0), 6.0) * by; });
                         }};
const Lowering hardswishBackward{"aten::hardswish_backward", [](Context& c) {
                                   return pointwise(c, [](Value grad, Value x) {
                                     const Value middle = where(x < 3.0, grad * (x / 3.0 + 0.5), grad);
                                     return where(x <= -3.0, 0.0, middle);
                                   });
                                 }};
const Lowering hardsigmoid{"aten::hardsigmoid", [](Context& c) {
                             return pointwise(c, [by = forwardSixth(c)](Value x) { return min(max(x + 3.0, 0.0), 6.0) * by; });
                           }};
const Lowering hardsigmoidBackward{"aten::hardsigmoid_backward", [](Context& c) {
                                     return pointwise(
                                         c, [](Value grad, Value x) { return where((x > -3.0) & (x < 3.0), grad * sixth, 0.0); });
                                   }};
/// The limits of integers are integers.
const Lowering hardtanh{"aten::hardtanh", [](Context& c) {
                          const ir::DType dtype = ir::opmath(c.tensor("self").dtype);
                          const Value low = c.constant("min_val", dtype), high = c.constant("max_val", dtype);
                          return pointwise(c, {"self"}, [low, high](Value x) { return min(max(x, low), high); });
                        }};
const Lowering hardtanhBackward{
    "aten::hardtanh_backward", [](Context& c) {
      return pointwise(c, [](Value grad, Value x, Value low, Value high) { return where((x <= low) | (x >= high), 0.0, grad); });
    }};

const Lowering leakyRelu{"aten::leaky_relu", [](Context& c) {
                           return pointwise(c, [](Value x, Value slope) { return where(x > 0.0, x, x * slope); });
                         }};
const Lowering leakyReluBackward{
    "aten::leaky_relu_backward",
    [](Context& c) { return pointwise(c, [](Value grad, Value x, Value slope) { return where(x > 0.0, grad, grad * slope); }); }};

/// Scales of ELU by their roles: of x where positive, of the exponential's result, and of its argument.
struct EluScales {
  double positive, negative, argument;
  explicit EluScales(const Context& c)
      : positive(c.number("scale")), negative(c.number("alpha") * c.number("scale")), argument(c.number("input_scale")) {}
};
const Lowering elu{"aten::elu", [](Context& c) {
                     return pointwise(c, [s = EluScales(c)](Value x) {
                       return where(x <= 0.0, expm1(x * s.argument) * s.negative, x * s.positive);
                     });
                   }};
const Lowering eluBackward{"aten::elu_backward", [](Context& c) {
                             const EluScales s(c);
                             const bool isResult = c.flag("is_result");
                             return pointwise(c, {"grad_output", "self_or_result"}, [s, isResult](Value grad, Value y) {
                               const Value slope = isResult ? y + s.negative : exp(y * s.argument) * s.negative;
                               return where(y <= 0.0, grad * s.argument * slope, grad * s.positive);
                             });
                           }};

}  // namespace
}  // namespace lowering
