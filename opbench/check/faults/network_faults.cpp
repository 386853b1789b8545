#include "opbench/check/faults/network_faults.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/error.h"
#include "opbench/check/faults/broken_callable.h"
#include "runtime/torch/state.h"

namespace opbench {
namespace {

constexpr std::string_view gradientOf = "the gradient of ";

/// The callable, one of whose gradients is a hundredth too large.
class ScaledGradientCallable : public BrokenCallable {
 public:
  ScaledGradientCallable(runtime::CallablePtr callable, int gradient)
      : BrokenCallable(std::move(callable)), gradient_(static_cast<size_t>(gradient)) {}
  runtime::TensorList operator()() override {
    constexpr double tooLarge = 1.01;
    const runtime::TensorList right = BrokenCallable::operator()();
    std::vector<at::Tensor> outputs = right.state().tensors;
    const c10::InferenceMode normal(false);
    const at::NoGradGuard noGrad;
    outputs.at(gradient_) = outputs.at(gradient_) * tooLarge;
    return runtime::makeTensorList(std::move(outputs));
  }

 private:
  size_t gradient_;
};

/// Runs of it leave operands as they were, whatever they do to them.
class FrozenCallable : public BrokenCallable {
 public:
  FrozenCallable(runtime::CallablePtr callable, std::vector<at::Tensor> frozen)
      : BrokenCallable(std::move(callable)), frozen_(std::move(frozen)) {}
  runtime::TensorList operator()() override {
    const c10::InferenceMode normal(false);
    std::vector<at::Tensor> before;
    for (const at::Tensor& tensor : frozen_) before.push_back(tensor.detach().clone());
    runtime::TensorList outputs = BrokenCallable::operator()();
    const at::NoGradGuard noGrad;
    for (size_t i = 0; i < frozen_.size(); ++i) frozen_[i].copy_(before[i]);
    return outputs;
  }

 private:
  std::vector<at::Tensor> frozen_;
};

/// Runs without a bias, whose gradient is zero.
class NoBiasCallable : public BrokenCallable {
 public:
  NoBiasCallable(runtime::CallablePtr callable, at::Tensor bias, std::optional<int> gradient)
      : BrokenCallable(std::move(callable)), bias_(std::move(bias)), gradient_(gradient) {}
  runtime::TensorList operator()() override {
    const c10::InferenceMode normal(false);
    const at::Tensor before = bias_.detach().clone();
    set([&](at::Tensor& bias) { bias.zero_(); });
    const runtime::TensorList found = BrokenCallable::operator()();
    set([&](at::Tensor& bias) { bias.copy_(before); });
    std::vector<at::Tensor> outputs = found.state().tensors;
    if (gradient_) outputs.at(static_cast<size_t>(*gradient_)) = at::zeros_like(before);
    return runtime::makeTensorList(std::move(outputs));
  }

 private:
  template <typename F>
  void set(const F& change) {
    const at::NoGradGuard noGrad;
    change(bias_);
  }

  at::Tensor bias_;
  std::optional<int> gradient_;
};

/// Draws a number more than it should, before its run.
class ShiftedCallable : public BrokenCallable {
 public:
  ShiftedCallable(runtime::CallablePtr callable, at::Device device) : BrokenCallable(std::move(callable)), device_(device) {}
  runtime::TensorList operator()() override {
    at::rand({1}, at::TensorOptions(device_));
    return BrokenCallable::operator()();
  }

 private:
  at::Device device_;
};

/// The places of a fault in a network.
class Places {
 public:
  Places(runtime::Workload& workload, Fault fault)
      : workload_(workload), fault_(fault), operands_(workload.operands().state().tensors) {}

  /// The first operand whose name ends so, behind its module's.
  std::string nameOf(std::string_view ending) const {
    for (size_t i = 0; i < operands_.size(); ++i) {
      const std::string name = workload_.operandName(static_cast<int>(i));
      if (name.substr(name.rfind('.') + 1).find(ending) != std::string::npos && operands_[i].is_floating_point()) return name;
    }
    refuse();
  }
  at::Tensor operand(const std::string& name) const {
    for (size_t i = 0; i < operands_.size(); ++i)
      if (workload_.operandName(static_cast<int>(i)) == name) return operands_[i];
    refuse();
  }
  /// The number of an output; nothing where there is none of that name.
  std::optional<int> output(const std::string& name) const {
    for (int i = 0; i < outputs_; ++i)
      if (workload_.outputName(i) == name) return i;
    return std::nullopt;
  }
  int firstGradient() const {
    for (int i = 0; i < outputs_; ++i)
      if (workload_.outputName(i).starts_with(gradientOf)) return i;
    refuse();
  }
  /// Parameters that a step changes.
  std::vector<at::Tensor> trained() const {
    std::vector<at::Tensor> found;
    if (workload_.mutates())
      std::copy_if(operands_.begin(), operands_.end(), std::back_inserter(found),
                   [](const at::Tensor& tensor) { return tensor.requires_grad(); });
    if (found.empty()) refuse();
    return found;
  }
  at::Device device() const {
    if (!workload_.isRandom()) refuse();
    return operands_.at(0).device();
  }

  [[noreturn]] void refuse() const {
    ir::fail(ir::ErrorKind::Unsupported, "{} has no place for the fault {}", workload_.op(), name(fault_));
  }

 private:
  runtime::Workload& workload_;
  Fault fault_;
  std::vector<at::Tensor> operands_;
  int outputs_ = workload_.outputs();
};

}  // namespace

bool isOfNetworks(Fault fault) {
  switch (fault) {
    case Fault::Slow:
    case Fault::ScaledGradient:
    case Fault::DroppedBias:
    case Fault::StaleStatistic:
    case Fault::OtherMask:
    case Fault::SkippedStep: return true;
    default: return false;
  }
}

runtime::CallablePtr brokenNetwork(runtime::CallablePtr callable, Fault fault, runtime::Workload& workload) {
  const Places places(workload, fault);
  if (fault == Fault::ScaledGradient)
    return std::make_unique<ScaledGradientCallable>(std::move(callable), places.firstGradient());
  if (fault == Fault::DroppedBias) {
    const std::string bias = places.nameOf("bias");
    return std::make_unique<NoBiasCallable>(std::move(callable), places.operand(bias),
                                            places.output(std::string(gradientOf) + bias));
  }
  if (fault == Fault::StaleStatistic) {
    std::vector<at::Tensor> statistic{places.operand(places.nameOf("running_mean"))};
    return std::make_unique<FrozenCallable>(std::move(callable), std::move(statistic));
  }
  if (fault == Fault::SkippedStep) return std::make_unique<FrozenCallable>(std::move(callable), places.trained());
  if (fault == Fault::OtherMask) return std::make_unique<ShiftedCallable>(std::move(callable), places.device());
  if (fault == Fault::Slow) return callable;
  places.refuse();
}

}  // namespace opbench
