// Activations that cut or scale a range of numbers, and their gradients.
#include "lowering/tensor/places.h"
#include "lowering/tensor/pointwise.h"
#include "lowering/tensor/random.h"

namespace lowering {
namespace {

const Lowering celu{"aten::celu", [](Context& c) {
                      const double alpha = c.number("alpha");
                      return pointwise(c, {"self"},
                                       [alpha](Value x) { return where(x > 0.0, x, expm1(x * (1 / alpha)) * alpha); });
                    }};

const Lowering softshrink{"aten::softshrink", [](Context& c) {
                            return pointwise(c, [](Value x, Value limit) {
                              return where(x > limit, x - limit, where(x < -limit, x + limit, x * 0.0));
                            });
                          }};
const Lowering hardshrink{"aten::hardshrink", [](Context& c) {
                            return pointwise(c, [](Value x, Value limit) { return where((x >= -limit) & (x <= limit), 0.0, x); });
                          }};
Tensors shrinkBackward(Context& c) {
  return pointwise(c, [](Value grad, Value x, Value limit) { return where((x >= -limit) & (x <= limit), 0.0, grad); });
}
const Lowering softshrinkBackward{"aten::softshrink_backward", shrinkBackward};
const Lowering hardshrinkBackward{"aten::hardshrink_backward", shrinkBackward};

const Lowering preluKernel{"aten::_prelu_kernel", [](Context& c) {
                             return pointwise(c, [](Value x, Value slope) { return where(x > 0.0, x, slope * x); });
                           }};
/// The gradients of the input and, for each element, of its slope.
const Lowering preluKernelBackward{
    "aten::_prelu_kernel_backward", [](Context& c) {
      const Tensor input = pointwise(c, {"grad_output", "self", "weight"}, [](Value grad, Value x, Value slope) {
                             return where(x > 0.0, grad, slope * grad);
                           }).front();
      const Tensor weight =
          pointwise(c, {"grad_output", "self"}, [](Value grad, Value x) { return where(x > 0.0, 0.0, x * grad); }).front();
      return Tensors{input, weight};
    }};

/// The slope of a leaky ReLU with random ones, where they are not drawn.
double middleSlope(const Context& c) { return (c.number("lower") + c.number("upper")) / 2; }

/// In training each negative number has a slope of its own, which is handed out as noise; the others have 1.
Tensors rreluWithNoise(Context& c) {
  const Tensor self = inOpmath(c.tensor("self"));
  if (!c.flag("training")) {
    const Tensor result = map([slope = middleSlope(c)](Value x) { return where(x > 0.0, x, x * slope); }, self);
    return {cast(result, c.outputType().dtype), c.tensor("noise")};
  }
  const double lower = c.number("lower"), width = c.number("upper") - lower;
  const Tensor slopes = map([=](Value x, Value draw) { return where(x <= 0.0, draw * width + lower, 1.0); }, self,
                            cast(Draws(c).uniform(self.dtype), self.dtype));
  const Tensor result = map([](Value x, Value slope) { return x * slope; }, self, slopes);
  return {cast(result, c.outputType().dtype), cast(slopes, c.tensor("noise").dtype)};
}
const Lowering rreluWithNoiseOf{"aten::rrelu_with_noise", rreluWithNoise};
const Lowering rreluWithNoiseBackward{
    "aten::rrelu_with_noise_backward", [](Context& c) {
      const bool isDrawn = c.flag("training") && c.number("upper") - c.number("lower") > 1e-6;
      if (isDrawn) return pointwise(c, {"grad_output", "noise"}, [](Value grad, Value noise) { return grad * noise; });
      return pointwise(c, {"grad_output", "self"},
                       [slope = middleSlope(c)](Value grad, Value x) { return where(x > 0.0, grad, grad * slope); });
    }};

}  // namespace
}  // namespace lowering
