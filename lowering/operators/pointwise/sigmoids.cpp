// Activations that are made of exponentials, and their gradients.
#include <utility>

#include "lowering/tensor/places.h"
#include "lowering/tensor/pointwise.h"

namespace lowering {
namespace {

Value sigmoidOf(Value x) { return 1.0 / (1.0 + exp(-x)); }

/// log(1 + exp(beta x)) / beta, which is x where beta x is above a threshold.
Tensors softplus(Context& c) {
  const double beta = c.number("beta"), threshold = c.number("threshold");
  return pointwise(c, {"self"}, [=](Value x) { return where(x * beta > threshold, x, log1p(exp(x * beta)) / beta); });
}
Tensors softplusBackward(Context& c) {
  const double beta = c.number("beta"), threshold = c.number("threshold");
  return pointwise(c, {"grad_output", "self"}, [=](Value grad, Value x) {
    const Value power = exp(x * beta);
    return where(x * beta > threshold, grad, grad * power / (power + 1.0));
  });
}
const Lowering softplusLowering{"aten::softplus", softplus};
const Lowering softplusBackwardLowering{"aten::softplus_backward", softplusBackward};

const Lowering mish{"aten::mish", [](Context& c) { return pointwise(c, [](Value x) { return x * tanh(log1p(exp(x))); }); }};
const Lowering mishBackward{"aten::mish_backward", [](Context& c) {
                              return pointwise(c, [](Value grad, Value x) {
                                const Value t = tanh(log1p(exp(x)));
                                return grad * (t + x * sigmoidOf(x) * (1.0 - t * t));
                              });
                            }};

/// Values of one half of a dimension, and gates of the other.
struct Halves {
  explicit Halves(const Context& c) : self(inOpmath(c.tensor("self"))) {
    dim = static_cast<std::size_t>(c.dim("dim", self.sizes.size()));
    extent = self.sizes[dim] / 2;
  }
  Value value(const Index& index) const { return self.at(index); }
  Value gate(Index index) const {
    index[dim] = index[dim] + extent;
    return sigmoidOf(self.at(index));
  }
  Tensor self;
  std::size_t dim = 0;
  int64_t extent = 0;
};
Tensors gatedLinearUnit(Context& c) {
  const Halves halves(c);
  return {cast(lazy(halves.self.dtype, c.outputType().sizes,
                    [halves](const Index& index) { return halves.value(index) * halves.gate(index); }),
               c.outputType().dtype)};
}
Tensors gatedLinearUnitBackward(Context& c) {
  const Halves halves(c);
  const Tensor grad = inOpmath(c.tensor("grad_output"));
  return {cast(lazy(halves.self.dtype, c.outputType().sizes,
                    [=](const Index& index) {
                      const Value isGate = index[halves.dim] >= halves.extent;
                      Index place = index;
                      place[halves.dim] = where(isGate, index[halves.dim] - halves.extent, index[halves.dim]);
                      const Value gate = halves.gate(place), ofValue = gate * grad.at(place);
                      return where(isGate, (1.0 - gate) * ofValue * halves.value(place), ofValue);
                    }),
               c.outputType().dtype)};
}
const Lowering glu{"aten::glu", gatedLinearUnit};
const Lowering gluBackward{"aten::glu_backward", gatedLinearUnitBackward};

/// The logarithm of the sigmoid, and what ATen's host keeps for the gradient: exp(-|x|).
Tensors logSigmoidForward(Context& c) {
  const Tensor self = inOpmath(c.tensor("self"));
  const Tensor power = map([](Value x) { return exp(-abs(x)); }, self);
  const Tensor result = map([](Value x, Value p) { return min(x, 0.0) - log1p(p); }, self, power);
  const ir::TensorType& buffer = c.outputType(1);
  return {cast(result, c.outputType().dtype), buffer.sizes == self.sizes ? cast(power, buffer.dtype) : zeros(c.pool(), buffer)};
}
Tensors logSigmoidBackward(Context& c) {
  const auto gradient = [](Value grad, Value x, Value power) {
    const Value share = power / (1.0 + power);
    return grad * where(x < 0.0, 1.0 - share, share);
  };
  if (c.followsHost()) return pointwise(c, {"grad_output", "self", "buffer"}, gradient);
  return pointwise(c, {"grad_output", "self"}, [gradient](Value grad, Value x) { return gradient(grad, x, exp(-abs(x))); });
}
const Lowering logSigmoidForwardLowering{"aten::log_sigmoid_forward", logSigmoidForward};
const Lowering logSigmoidBackwardLowering{"aten::log_sigmoid_backward", logSigmoidBackward};

}  // namespace
}  // namespace lowering
