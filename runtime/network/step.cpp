#include "runtime/network/step.h"

#include <ATen/Context.h>
#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/AutogradState.h>
#include <c10/core/InferenceMode.h>

#include <mutex>

#include "runtime/torch/call_state.h"

namespace runtime {
namespace {

/// While it lives, backward passes run on the caller's thread, if that is asked for: a graph is captured on one.
class OneThread {
 public:
  explicit OneThread(bool isAsked) : before_(c10::AutogradState::get_tls_state().get_multithreading_enabled()) {
    if (isAsked) c10::AutogradState::get_tls_state().set_multithreading_enabled(false);
  }
  ~OneThread() { c10::AutogradState::get_tls_state().set_multithreading_enabled(before_); }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  bool before_;
};

class StepCallable : public Callable {
 public:
  StepCallable(std::string name, std::vector<std::string> ownPhases, at::Device device, Step step, bool isCaptured)
      : name_(std::move(name)), device_(device), step_(std::move(step)), isCaptured_(isCaptured) {
    isDirect = !isCaptured;
    phases = std::move(ownPhases);
  }

  TensorList operator()() override {
    const OneThread thread(isCaptured_);
    return translateErrors(name_, [&] { return makeTensorList(step_([this] { mark(); })); });
  }
  void use(int) override {}
  void reseed() override { reseedGenerator(device_); }

 private:
  std::string name_;
  at::Device device_;
  Step step_;
  bool isCaptured_;
};

}  // namespace

std::vector<at::Tensor> runStep(const Recurrent& network, const Operands& operands, const Forward& forward,
                                const std::function<void()>& mark) {
  const c10::InferenceMode normal(false);
  const at::AutoGradMode mode(network.isTraining);
  std::vector<at::Tensor> results = inPhase("forward", mark, [&] { return forward(operands); });
  if (network.isTraining) inPhase("backward", mark, [&] { results.front().backward(operands.gradient); });
  mark();
  if (!network.isTraining) return results;
  for (at::Tensor& result : results) result = result.detach();
  const std::vector<at::Tensor> gradients = takeGradients(operands.weights);
  results.insert(results.end(), gradients.begin(), gradients.end());
  return results;
}

std::vector<std::string> phasesOf(const Recurrent& network) {
  return network.isTraining ? std::vector<std::string>{"forward", "backward"} : std::vector<std::string>{"forward"};
}

std::vector<at::Tensor> takeGradients(const std::vector<at::Tensor>& weights) {
  std::vector<at::Tensor> gradients;
  for (const at::Tensor& weight : weights) {
    at::Tensor gradient = std::exchange(weight.mutable_grad(), at::Tensor());
    gradients.push_back(gradient.defined() ? std::move(gradient) : at::zeros_like(weight));
  }
  return gradients;
}

CallablePtr stepCallable(std::string name, std::vector<std::string> phases, at::Device device, Step step, bool isCaptured) {
  return std::make_unique<StepCallable>(std::move(name), std::move(phases), device, std::move(step), isCaptured);
}

void reseedGenerator(at::Device device) {
  at::Generator generator = at::globalContext().defaultGenerator(device);
  const std::lock_guard<std::mutex> lock(generator.mutex());
  generator.set_current_seed(0);
}

}  // namespace runtime
