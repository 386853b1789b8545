#include "runtime/workloads/network/training.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>

namespace runtime {

at::Tensor crossEntropy(const at::Tensor& logits, const at::Tensor& labels) {
  return at::cross_entropy_loss(logits.reshape({-1, logits.size(-1)}), labels.reshape({-1}));
}

at::Tensor meanOf(const std::vector<at::Tensor>& outputs) {
  at::Tensor sum;
  int64_t number = 0;
  for (const at::Tensor& output : outputs) {
    if (!output.is_floating_point()) continue;
    sum = sum.defined() ? sum + output.mean() : output.mean();
    ++number;
  }
  return number > 1 ? sum / number : sum;
}

Optimizer::Optimizer(OptimizerKind kind, std::vector<at::Tensor> parameters)
    : kind_(std::move(kind)), parameters_(std::move(parameters)) {
  const at::NoGradGuard noGrad;
  for (const at::Tensor& parameter : parameters_) {
    first_.push_back(at::zeros_like(parameter));
    if (kind_.name == "sgd") continue;
    second_.push_back(at::zeros_like(parameter));
    const at::ScalarType dtype = parameter.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
    steps_.push_back(at::zeros({}, parameter.options().dtype(dtype)));
  }
}

void Optimizer::step(const std::vector<at::Tensor>& gradients, const std::optional<at::Tensor>& scale,
                     const std::optional<at::Tensor>& notFinite) {
  const at::NoGradGuard noGrad;
  Step step{{}, {}, {}, {}, {}, scale, notFinite};
  for (size_t i = 0; i < parameters_.size(); ++i) {
    if (!gradients[i].defined()) continue;
    step.parameters.push_back(parameters_[i]);
    step.gradients.push_back(gradients[i]);
    step.first.push_back(first_[i]);
    if (second_.empty()) continue;
    step.second.push_back(second_[i]);
    step.steps.push_back(steps_[i]);
  }
  if (step.parameters.empty()) return;
  kind_.name == "sgd" ? sgd(step) : adam(step);
}

std::vector<at::Tensor> Optimizer::state() const {
  std::vector<at::Tensor> all = first_;
  all.insert(all.end(), second_.begin(), second_.end());
  all.insert(all.end(), steps_.begin(), steps_.end());
  return all;
}

void Optimizer::sgd(const Step& step) const {
  constexpr double rate = 0.01, momentum = 0.9;
  if (kind_.isFused)
    return at::_fused_sgd_(step.parameters, step.gradients, step.first, /*weight_decay=*/0, momentum, rate, /*dampening=*/0,
                           /*nesterov=*/false, /*maximize=*/false, /*is_first_step=*/false, step.scale, step.notFinite);
  at::_foreach_mul_(step.first, momentum);
  at::_foreach_add_(step.first, step.gradients);
  at::_foreach_add_(step.parameters, step.first, -rate);
}

void Optimizer::fusedAdam(const Step& step, double rate, double beta1, double beta2, double decay, double epsilon) const {
  const auto fused = [&](const auto& adam) {
    adam(step.parameters, step.gradients, step.first, step.second, at::TensorList(), step.steps, rate, beta1, beta2, decay,
         epsilon,
         /*amsgrad=*/false, /*maximize=*/false, step.scale, step.notFinite);
  };
  if (kind_.name == "adamw")
    fused([](auto&&... arguments) { at::_fused_adamw_(arguments...); });
  else
    fused([](auto&&... arguments) { at::_fused_adam_(arguments...); });
  // A step that is left out does not count.
  if (step.notFinite) at::_foreach_sub_(step.steps, std::vector<at::Tensor>(step.steps.size(), *step.notFinite));
}

void Optimizer::adam(const Step& step) const {
  constexpr double rate = 1e-3, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
  const double decay = kind_.name == "adamw" ? 0.01 : 0;
  at::_foreach_add_(step.steps, 1);
  if (kind_.isFused) return fusedAdam(step, rate, beta1, beta2, decay, epsilon);
  if (decay > 0) at::_foreach_mul_(step.parameters, 1 - rate * decay);
  at::_foreach_lerp_(step.first, step.gradients, 1 - beta1);
  at::_foreach_mul_(step.second, beta2);
  at::_foreach_addcmul_(step.second, step.gradients, step.gradients, 1 - beta2);
  // The parameter becomes p - rate * m' / (sqrt(v') + epsilon), where m' = m / (1 - beta1^t) and v' = v / (1 - beta2^t).
  std::vector<at::Tensor> scale = at::_foreach_pow(beta1, step.steps);  // (beta1^t - 1) / rate
  at::_foreach_sub_(scale, 1);
  at::_foreach_div_(scale, rate);
  std::vector<at::Tensor> correction = at::_foreach_pow(beta2, step.steps);  // sqrt(1 - beta2^t)
  at::_foreach_sub_(correction, 1);
  at::_foreach_neg_(correction);
  at::_foreach_sqrt_(correction);
  std::vector<at::Tensor> divisor = at::_foreach_sqrt(step.second);
  at::_foreach_div_(divisor, correction);
  at::_foreach_add_(divisor, epsilon);
  at::_foreach_mul_(divisor, scale);
  at::_foreach_addcdiv_(step.parameters, step.first, divisor);
}

GradScaler::GradScaler(at::Device device) {
  constexpr double first = 65536;
  const auto options = at::TensorOptions(device).dtype(at::kFloat);
  scale_ = at::full({}, first, options);
  growth_ = at::zeros({}, options.dtype(at::kInt));
  notFinite_ = at::zeros({}, options);
}

at::Tensor GradScaler::scaled(const at::Tensor& loss) const { return at::mul(loss, scale_); }

GradScaler GradScaler::copy() const {
  GradScaler other(scale_.device());
  other.scale_.copy_(scale_);
  other.growth_.copy_(growth_);
  return other;
}

void GradScaler::step(Optimizer& optimizer, const std::vector<at::Tensor>& gradients) {
  std::vector<at::Tensor> present = gradients;
  std::erase_if(present, [](const at::Tensor& gradient) { return !gradient.defined(); });
  constexpr double growth = 2, backoff = 0.5;
  constexpr int64_t interval = 2000;
  const at::NoGradGuard noGrad;
  notFinite_.zero_();
  if (optimizer.isFused()) {
    at::_amp_foreach_non_finite_check_and_unscale_(present, notFinite_, at::ones_like(scale_));  // checks them alone
    optimizer.step(gradients, scale_, notFinite_);
  } else {
    at::_amp_foreach_non_finite_check_and_unscale_(present, notFinite_, scale_.reciprocal());
    if (!leftOut()) optimizer.step(gradients);
  }
  at::_amp_update_scale_(scale_, growth_, notFinite_, growth, backoff, interval);
}

}  // namespace runtime
