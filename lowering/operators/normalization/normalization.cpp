#include "lowering/operators/normalization/normalization.h"

namespace lowering {

Tensor perChannel(const Tensor& tensor, std::size_t rank) {
  ir::Shape sizes(rank, 1);
  sizes[1] = tensor.sizes[0];
  return {tensor.dtype, sizes, [tensor](const Index& index) { return tensor.at({index[1]}); }};
}

std::optional<Tensor> perChannel(const Context& c, const std::string& argument, std::size_t rank, ir::DType dtype) {
  if (c.isNone(argument)) return std::nullopt;
  return perChannel(cast(c.tensor(argument), dtype), rank);
}

Tensor centered(const Tensor& x, const Tensor& mean, const Tensor& scale) {
  return map([](Value x, Value m, Value s) { return (x - m) * s; }, x, mean, scale);
}

Tensor centeredAgain(const Tensor& x, const Tensor& mean, const Tensor& scale) {
  const auto without = [](Value x, Value m) {
    const ir::Expr* sum = m.expr();
    if (sum->op != ir::Op::Add) return x - m;
    return x - Value{m.pool(), sum->src[0]} - Value{m.pool(), sum->src[1]};
  };
  return map([without](Value x, Value m, Value s) { return without(x, m) * s; }, x, mean, scale);
}

Tensor affine(Tensor x, const std::optional<Tensor>& weight, const std::optional<Tensor>& bias) {
  if (weight) x = map([](Value x, Value w) { return x * w; }, x, *weight);
  if (bias) x = map([](Value x, Value b) { return x + b; }, x, *bias);
  return x;
}

Tensor inverseDeviation(const Tensor& variance, double eps) {
  return map([eps](Value v) { return rsqrt(v + eps); }, variance);
}

Tensor centeredGradient(const Tensor& grad, const Tensor& normal, const Tensor& scale, const Tensor& level, const Tensor& slope) {
  return map([](Value g, Value x, Value s, Value level, Value slope) { return s * (g - level - x * slope); }, grad, normal, scale,
             level, slope);
}

Tensors wanted(const std::vector<bool>& mask, const Tensors& all) {
  Tensors tensors;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (mask.at(i)) tensors.push_back(all[i]);
  }
  return tensors;
}

Tensors wanted(const Context& c, const Tensors& all) { return asOutputs(c, wanted(c.flags("output_mask"), all)); }

}  // namespace lowering
