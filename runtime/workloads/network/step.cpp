#include "runtime/workloads/network/step.h"

#include <ATen/Context.h>
#include <ATen/Functions.h>

#include <mutex>
#include <optional>

#include "runtime/dispatch/one_thread.h"
#include "runtime/torch/state.h"
#include "runtime/torch/translate.h"

namespace runtime {
namespace {

class StepCallable : public Callable {
 public:
  StepCallable(std::string name, std::vector<std::string> ownPhases, at::Device device, Step step, bool isCaptured)
      : name_(std::move(name)), device_(device), step_(std::move(step)), isCaptured_(isCaptured) {
    isDirect = !isCaptured;
    phases = std::move(ownPhases);
  }

  TensorList operator()() override {
    std::optional<OneThread> thread;
    if (isCaptured_) thread.emplace();  // a CUDA graph is captured on one
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
  const ProgramMode mode(network.isTraining);
  std::vector<at::Tensor> results = inPhase("forward", mark, [&] { return forward(operands); });
  if (network.isTraining) inPhase("backward", mark, [&] { results.front().backward(operands.gradient); });
  mark();
  if (!network.isTraining) return results;
  for (at::Tensor& result : results) result = result.detach();
  const std::vector<at::Tensor> gradients = orZeros(takeGradients(operands.weights), operands.weights);
  results.insert(results.end(), gradients.begin(), gradients.end());
  return results;
}

std::vector<std::string> phasesOf(const Recurrent& network) {
  return network.isTraining ? std::vector<std::string>{"forward", "backward"} : std::vector<std::string>{"forward"};
}

std::vector<at::Tensor> takeGradients(const std::vector<at::Tensor>& weights) {
  std::vector<at::Tensor> gradients;
  for (const at::Tensor& weight : weights) gradients.push_back(std::exchange(weight.mutable_grad(), at::Tensor()));
  return gradients;
}

std::vector<at::Tensor> orZeros(std::vector<at::Tensor> gradients, const std::vector<at::Tensor>& weights) {
  for (size_t i = 0; i < gradients.size(); ++i)
    if (!gradients[i].defined()) gradients[i] = at::zeros_like(weights[i]);
  return gradients;
}

CallablePtr stepCallable(std::string name, std::vector<std::string> phases, at::Device device, Step step, bool isCaptured) {
  return std::make_unique<StepCallable>(std::move(name), std::move(phases), device, std::move(step), isCaptured);
}

void warmUp(Callable& callable, Workload& workload, int runs) {
  for (int run = 0; run < runs; ++run) {
    workload.restore();
    callable();
  }
  workload.restore();
}

void reseedGenerator(at::Device device) {
  at::Generator generator = at::globalContext().defaultGenerator(device);
  const std::lock_guard<std::mutex> lock(generator.mutex());
  generator.set_current_seed(0);
}

}  // namespace runtime
