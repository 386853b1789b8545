#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace runtime {

/// The loss of a network's outputs, a single number.
/// - `cross_entropy`: the cross entropy of the first output, [batch, length, classes], against whole numbers [batch, length].
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
  /// The state is as before the first step.
  Optimizer(OptimizerKind kind, std::vector<at::Tensor> parameters);

  /// Changes the parameters by gradients, one each; one without a gradient (undefined) is left as it is. The fused form takes
  /// gradients that are `scale` times too large, and leaves the step out where `notFinite` is not 0; both are on the device.
  void step(const std::vector<at::Tensor>& gradients, const std::optional<at::Tensor>& scale = std::nullopt,
            const std::optional<at::Tensor>& notFinite = std::nullopt);
  bool isFused() const { return kind_.isFused; }
  /// What a step reads and writes beside the parameters, in order: first moments, second moments, numbers of steps.
  std::vector<at::Tensor> state() const;

 private:
  /// The parameters that have gradients, with their state.
  struct Step {
    std::vector<at::Tensor> parameters, gradients, first, second, steps;
    const std::optional<at::Tensor>&scale, &notFinite;
  };
  void sgd(const Step& step) const;
  void adam(const Step& step) const;
  void fusedAdam(const Step& step, double rate, double beta1, double beta2, double decay, double epsilon) const;

  OptimizerKind kind_;
  std::vector<at::Tensor> parameters_, first_, second_, steps_;
};

/// Multiplies a loss so that gradients of float16 do not vanish, as torch.amp.GradScaler does with its default rates. A step with
/// gradients that are not finite is left out, and halves the scale.
class GradScaler {
 public:
  explicit GradScaler(at::Device device);

  at::Tensor scaled(const at::Tensor& loss) const;
  /// Divides the gradients, in place, and has the optimizer take its step. What is left out is decided on the host, as Python
  /// does, unless the optimizer is fused.
  void step(Optimizer& optimizer, const std::vector<at::Tensor>& gradients);
  /// Whether the last step was left out.
  bool leftOut() const { return notFinite_.item().toDouble() != 0; }
  /// One of the same state, which steps alone.
  GradScaler copy() const;
  /// What a step reads and writes: the scale, and the steps since it last changed.
  std::vector<at::Tensor> state() const { return {scale_, growth_}; }

 private:
  at::Tensor scale_, growth_, notFinite_;
};

}  // namespace runtime
