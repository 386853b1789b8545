// Losses of single elements, and their gradients.
#include "lowering/operators/reduction/loss.h"

namespace lowering {
namespace {

using ir::DType;

/// A call's input and target in the dtype of the computation, broadcast against each other.
struct Compared {
  explicit Compared(const Context& c)
      : input(cast(c.tensor("self"), ir::opmath(c.outputType().dtype))), target(cast(c.tensor("target"), input.dtype)) {}
  int64_t count() const { return numelOf(broadcast(input.sizes, target.sizes)); }
  Tensor input, target;
};
/// An argument by which elements are multiplied, where there is one.
Tensor timesArgument(const Context& c, const Tensor& tensor, const std::string& name) {
  const std::optional<Tensor> factor = c.optionalTensor(name);
  return factor ? product(tensor, cast(*factor, tensor.dtype)) : tensor;
}

template <typename Loss>
Tensors elementLoss(Context& c, Loss loss) {
  const Compared k(c);
  return reducedLoss(c, map(loss, k.input, k.target));
}
/// The gradient of the input; `slope` is the derivative of one loss.
template <typename Slope>
Tensor elementGradient(Context& c, Slope slope) {
  const Compared k(c);
  const auto gradient = [=, share = shareOfLoss(c, k.count())](Value x, Value target, Value grad) {
    return slope(x, target) * grad * share;
  };
  return map(gradient, k.input, k.target, cast(c.tensor("grad_output"), k.input.dtype));
}

Tensors mseLoss(Context& c) {
  return elementLoss(c, [](Value x, Value t) { return (x - t) * (x - t); });
}
Tensors mseLossBackward(Context& c) {
  return asOutputs(c, {elementGradient(c, [](Value x, Value t) { return 2.0 * (x - t); })});
}

/// Squares up to a distance, lines beyond it.
Tensors huberLoss(Context& c) {
  return elementLoss(c, [delta = c.number("delta")](Value x, Value t) {
    const Value distance = abs(x - t);
    return where(distance < delta, 0.5 * distance * distance, delta * (distance - 0.5 * delta));
  });
}
Tensors huberLossBackward(Context& c) {
  return asOutputs(
      c, {elementGradient(c, [delta = c.number("delta")](Value x, Value t) { return min(max(x - t, -delta), delta); })});
}
Tensors smoothL1Loss(Context& c) {
  return elementLoss(c, [beta = c.number("beta")](Value x, Value t) {
    const Value distance = abs(x - t);
    return where(distance < beta, 0.5 * distance * distance / beta, distance - 0.5 * beta);
  });
}
Tensors smoothL1LossBackward(Context& c) {
  return asOutputs(c, {elementGradient(c, [beta = c.number("beta")](Value x, Value t) {
                     const Value apart = x - t;
                     return where(apart <= -beta, -1.0, where(apart >= beta, 1.0, apart / beta));
                   })});
}

Tensors softMarginLoss(Context& c) {
  return elementLoss(c, [](Value x, Value t) { return log1p(exp(-x * t)); });
}
Tensors softMarginLossBackward(Context& c) {
  return asOutputs(c, {elementGradient(c, [](Value x, Value t) {
                     const Value power = exp(-x * t);
                     return -t * power / (1.0 + power);
                   })});
}

/// Logarithms are not less than -100.
Tensors binaryCrossEntropy(Context& c) {
  const Compared k(c);
  const auto loss = [](Value x, Value t) { return (t - 1.0) * max(log1p(-x), -100.0) - t * max(log(x), -100.0); };
  return reducedLoss(c, timesArgument(c, map(loss, k.input, k.target), "weight"));
}
Tensors binaryCrossEntropyBackward(Context& c) {
  const auto slope = [](Value x, Value t) { return (x - t) / max((1.0 - x) * x, 1e-12); };
  return asOutputs(c, {timesArgument(c, elementGradient(c, slope), "weight")});
}
/// Of the logits' sigmoids; targets of 1 may count more.
Tensors binaryCrossEntropyWithLogits(Context& c) {
  const Compared k(c);
  const Tensor logSigmoid = map([](Value x) { return min(x, 0.0) - log1p(exp(-abs(x))); }, k.input);
  Tensor losses = map([](Value x, Value t, Value l) { return (1.0 - t) * x - l; }, k.input, k.target, logSigmoid);
  if (const std::optional<Tensor> positive = c.optionalTensor("pos_weight")) {
    const auto loss = [](Value x, Value t, Value l, Value p) { return (1.0 - t) * x - ((p - 1.0) * t + 1.0) * l; };
    losses = map(loss, k.input, k.target, logSigmoid, cast(*positive, k.input.dtype));
  }
  return reducedLoss(c, timesArgument(c, losses, "weight"));
}

const Lowering mseLossOf{"aten::mse_loss", mseLoss};
const Lowering mseLossBackwardOf{"aten::mse_loss_backward", mseLossBackward};
const Lowering huberLossOf{"aten::huber_loss", huberLoss};
const Lowering huberLossBackwardOf{"aten::huber_loss_backward", huberLossBackward};
const Lowering smoothL1LossOf{"aten::smooth_l1_loss", smoothL1Loss};
const Lowering smoothL1LossBackwardOf{"aten::smooth_l1_loss_backward", smoothL1LossBackward};
const Lowering softMarginLossOf{"aten::soft_margin_loss", softMarginLoss};
const Lowering softMarginLossBackwardOf{"aten::soft_margin_loss_backward", softMarginLossBackward};
const Lowering binaryCrossEntropyOf{"aten::binary_cross_entropy", binaryCrossEntropy};
const Lowering binaryCrossEntropyBackwardOf{"aten::binary_cross_entropy_backward", binaryCrossEntropyBackward};
const Lowering binaryCrossEntropyWithLogitsOf{"aten::binary_cross_entropy_with_logits", binaryCrossEntropyWithLogits};

}  // namespace
}  // namespace lowering
