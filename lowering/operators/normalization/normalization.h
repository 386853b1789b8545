#pragma once

#include <optional>

#include "lowering/tensor/reduce.h"

namespace lowering {

/// A tensor of one dimension along dimension 1 of one of `rank`: what a channel has once.
Tensor perChannel(const Tensor& tensor, std::size_t rank);
/// The same of an argument that may be None, in a dtype.
std::optional<Tensor> perChannel(const Context& c, const std::string& argument, std::size_t rank, ir::DType dtype);

/// (x - mean) * scale
Tensor centered(const Tensor& x, const Tensor& mean, const Tensor& scale);
/// The same in a gradient, with the mean that the norm has made. Where one region has both, the mean is a sum of two values (see
/// Moments): a level, and its distance from the mean. They are subtracted one after the other, as rounding their sum would lose
/// digits of elements far from zero.
Tensor centeredAgain(const Tensor& x, const Tensor& mean, const Tensor& scale);
/// x * weight + bias, as far as they are given.
Tensor affine(Tensor x, const std::optional<Tensor>& weight, const std::optional<Tensor>& bias);
/// 1 / sqrt(variance + eps)
Tensor inverseDeviation(const Tensor& variance, double eps);

/// The gradient of elements that were centered and scaled, from the result, `normal`, and its gradient, `grad`:
/// scale * (grad - level - normal * slope), where level is the mean of grad, and slope the mean of grad * normal.
Tensor centeredGradient(const Tensor& grad, const Tensor& normal, const Tensor& scale, const Tensor& level, const Tensor& slope);

/// The tensors that a mask has; the outputs that `output_mask` asks for.
Tensors wanted(const std::vector<bool>& mask, const Tensors& all);
Tensors wanted(const Context& c, const Tensors& all);

}  // namespace lowering
