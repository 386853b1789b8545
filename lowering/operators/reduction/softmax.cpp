// Softmax, its logarithm, and their gradients.
#include <cmath>

#include "lowering/tensor/reduce.h"

namespace lowering {
namespace {

Tensors softmax(Context& c) {
  const Tensor x = inOpmath(c.tensor("self"));
  const Dims dim = c.dims("dim", x.sizes.size());
  const Tensor power = map([](Value x, Value top) { return exp(x - top); }, x, amax(c, x, dim));
  const Tensor scale = map([](Value total) { return 1.0 / total; }, sum(c, power, dim));
  return asOutputs(c, {product(power, scale)});
}

/// Softmax whose rows are 0 where all of their elements are -infinity: masked as a whole.
Tensors safeSoftmax(Context& c) {
  const Tensor x = cast(c.tensor("self"), ir::opmath(c.outputType().dtype));
  const Dims dim = c.dims("dim", x.sizes.size());
  const Exponentials row = maskedExponentials(c, x, dim);
  const Tensor scale = map([](Value total) { return where(total == 0.0, 0.0, 1.0 / total); }, row.total);
  return asOutputs(c, {product(row.powers, scale)});
}

Tensors logSoftmax(Context& c) {
  const Tensor x = inOpmath(c.tensor("self"));
  const Dims dim = c.dims("dim", x.sizes.size());
  const Tensor below = map([](Value x, Value top) { return x - top; }, x, amax(c, x, dim));
  const Tensor total = sum(c, map([](Value b) { return exp(b); }, below), dim);
  return asOutputs(c, {map([](Value b, Value t) { return b - log(t); }, below, total)});
}

Tensors softmaxBackward(Context& c) {
  const Tensor y = inOpmath(c.tensor("output"));
  const Tensor weighted = product(inOpmath(c.tensor("grad_output")), y);
  const Tensor total = sum(c, weighted, c.dims("dim", y.sizes.size()));
  return asOutputs(c, {map([](Value w, Value y, Value t) { return w - y * t; }, weighted, y, total)});
}

Tensors logSoftmaxBackward(Context& c) {
  const Tensor grad = inOpmath(c.tensor("grad_output"));
  const Tensor total = sum(c, grad, c.dims("dim", grad.sizes.size()));
  return asOutputs(c, {map([](Value g, Value y, Value t) { return g - exp(y) * t; }, grad, inOpmath(c.tensor("output")), total)});
}

/// log(sum(exp(x))), around the maximum where that is finite.
Tensors logSumExp(Context& c) {
  const Tensor x = cast(c.tensor("self"), ir::opmath(c.outputType().dtype));
  const Dims dims = c.dims("dim", x.sizes.size());
  const Tensor top = map([](Value m) { return where(abs(m) == INFINITY, 0.0, m); }, amax(c, x, dims));
  const Tensor total = sum(c, map([](Value x, Value m) { return exp(x - m); }, x, top), dims);
  const Tensor result = map([](Value t, Value m) { return log(t) + m; }, total, top);
  return asOutputs(c, {c.flag("keepdim") ? result : squeeze(c, result, dims)});
}

const Lowering softmaxOf{"aten::_softmax", softmax};
const Lowering safeSoftmaxOf{"aten::_safe_softmax", safeSoftmax};
const Lowering logSoftmaxOf{"aten::_log_softmax", logSoftmax};
const Lowering softmaxBackwardOf{"aten::_softmax_backward_data", softmaxBackward};
const Lowering logSoftmaxBackwardOf{"aten::_log_softmax_backward_data", logSoftmaxBackward};
const Lowering logSumExpOf{"aten::logsumexp", logSumExp};

}  // namespace
}  // namespace lowering
