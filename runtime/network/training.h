#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace runtime {

/// The loss of a network's outputs, a single number.
/// - `cross_entropy`: that of the first output, [batch, length, classes], against whole numbers [batch, length].
/// - `mean`: the mean of each floating output, averaged.
at::Tensor crossEntropy(const at::Tensor& logits, const at::Tensor& labels);
at::Tensor meanOf(const std::vector<at::Tensor>& outputs);

/// How parameters are changed by their gradients: PyTorch's formulas with its default rates, on all parameters at once.
struct OptimizerKind {
  std::string name;      ///< `sgd` (rate 0.01, momentum 0.9), `adam` (0.001), `adamw` (0.001, decay 0.01); empty is none
  bool isFused = false;  ///< by ATen's one call, as against one a formula's term (`foreach`)
};

/// An optimizer and its state, which lies beside the parameters, so that a step can be captured in a CUDA graph.
class Optimizer {
 public:
  /// Its state is that before the first step.
  Optimizer(OptimizerKind kind, std::vector<at::Tensor> parameters);

  /// Changes the parameters by gradients, one each.
  void step(const std::vector<at::Tensor>& gradients);
  /// What a step reads and writes beside the parameters, in order: first moments, second moments, numbers of steps.
  std::vector<at::Tensor> state() const;

 private:
  void sgd(const std::vector<at::Tensor>& gradients);
  void adam(const std::vector<at::Tensor>& gradients);

  OptimizerKind kind_;
  std::vector<at::Tensor> parameters_, first_, second_, steps_;
};

/// While it lives, ATen's calls on a device choose their dtype as torch.autocast has them, if one is given; casts of weights are
/// kept until it ends.
class Autocast {
 public:
  Autocast(at::Device device, std::optional<at::ScalarType> dtype);
  ~Autocast();
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  at::DeviceType device_;
  bool isOn_;
  bool wasEnabled_ = false;
  at::ScalarType dtypeBefore_ = at::kFloat;
};

}  // namespace runtime
