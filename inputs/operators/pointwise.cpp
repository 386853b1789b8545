#include <cmath>

#include "inputs/operators/facts.h"

namespace inputs {
namespace {

/// elu(x) is above -alpha * scale; an input is anything.
Domain eluResult(const Call& call) {
  if (!call.flag(4)) return {Halves{true}};
  double lowest = -call.number(1, 1) * call.number(2, 1);
  return {Uniform{0.99 * lowest, 2 + std::abs(lowest)}};
}

/// The base of a power: positive for a fractional exponent, not zero for a negative one.
Domain base(const Call& call) {
  if (call.isTensor(1)) return {Positive{}};
  double exponent = call.number(1, 1);
  // The error of a power grows with its logarithm.
  if (exponent != std::floor(exponent))
    return {ir::isIntegral(call.tensor(0).dtype) ? ValueRange(Positive{}) : Uniform{0.0625, 256}};
  if (exponent < 0) return {NonZero{}};
  return {};
}

Domain exponent(const Call& call) {
  if (ir::isIntegral(call.tensor(1).dtype)) return {Below{4}};
  return {};
}

Domain dividend(const Call& call) { return {ir::isIntegral(call.tensor(0).dtype) ? ValueRange(Tame{}) : Plain{}}; }

}  // namespace

Family pointwiseFacts() {
  static const OperatorFacts rows[] = {
      {"sqrt rsqrt log log2 log10 log1p", {{0, Positive{}}}},
      {"xlogy", {{1, Positive{}}}},
      {"pow", {{0, base}, {1, exponent}}},
      {"reciprocal", {{0, NonZero{}}}},
      {"addcdiv", {{2, NonZero{}}}},
      // Of the smallest integer by -1 there is no quotient: processors end the process.
      {"div true_divide floor_divide", {{0, dividend}, {1, NonZero{}}}},
      {"lcm", {{0, Tame{}}, {1, Tame{}}}},
      // Of quotients beyond what integers hold eager's vectors on CPUs make NaN.
      {"remainder fmod", {{0, Tame{}}, {1, NonZero{true}}}},
      {"__lshift__ __rshift__ bitwise_left_shift bitwise_right_shift", {{1, Below{4}}}},
      {"asin acos atanh", {{0, sine}}},
      {"acosh", {{0, Uniform{1.1, 8}}}},
      {"logit", {{0, probability}}},
      {"eq ne lt le gt ge logical_and logical_or logical_xor", {{0, Halves{}}, {1, Halves{}}}},
      {"logical_not sign sgn round floor ceil trunc frac", {{0, Halves{}}}},
      {"isnan isinf isfinite isposinf isneginf nan_to_num", {{0, NonFinite{}}}},
      {"tanh_backward", {{1, sine}}},
      {"sigmoid_backward", {{1, probability}}},
      {"elu_backward", {{5, eluResult}}},
      {"threshold_backward hardsigmoid_backward leaky_relu_backward", {{1, Halves{}}}},
      // A NaN is below every threshold for eager's vectors on CPUs, and above it for their last, scalar elements and on GPUs.
      {"hardtanh_backward hardshrink_backward softshrink_backward", {{1, Halves{true}}}},
      // The same. The product of an infinite gradient is anything where the other factor is 0 but for a rounding.
      {"hardswish_backward", {{0, Tame{}}, {1, Halves{true}}}},
      // The gradient at NaN is 0 where eager's host takes vectors of elements, and NaN where it takes one.
      {"logit_backward", {{1, Finite{}}}},
  };
  return rows;
}

}  // namespace inputs
