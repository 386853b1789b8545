// A model as a graph: what its operands and results are called, and its capture.
#include <ATen/core/grad_mode.h>
#include <c10/core/InferenceMode.h>
#include <fmt/format.h>

#include <array>

#include "runtime/capture/session.h"
#include "runtime/device.h"
#include "runtime/torch/state.h"
#include "runtime/torch/translate.h"
#include "runtime/workloads/model/model.h"
#include "runtime/workloads/network/step.h"

namespace runtime {

std::vector<GraphOperand> Model::graphOperands() const {
  constexpr std::array roles{ir::Role::Parameter, ir::Role::Buffer, ir::Role::Constant};  // by a program's role
  std::vector<std::string> parameters;
  std::vector<GraphOperand> operands;
  for (size_t i = 0; i < tensors_.state.size(); ++i) {
    const StateTensor& state = program_->state()[i];
    operands.push_back({state.name, roles.at(static_cast<size_t>(state.role)), tensors_.state[i]});
    if (state.requiresGrad) parameters.push_back(state.name);
  }
  for (size_t i = 0; i < tensors_.inputs.size(); ++i)
    operands.push_back({program_->inputs()[i].name, ir::Role::Input, tensors_.inputs[i]});
  if (tensors_.gradient.defined()) operands.push_back({"gradient", ir::Role::Input, tensors_.gradient});
  if (!tensors_.optimizer) return operands;
  constexpr std::array kinds{"first_moment", "second_moment", "step"};
  const std::vector<at::Tensor> state = tensors_.optimizer->state();
  for (size_t i = 0; i < state.size(); ++i) {
    const char* kind = kinds.at(i / parameters.size());
    operands.push_back({fmt::format("{}_of_{}", kind, parameters[i % parameters.size()]), ir::Role::State, state[i]});
  }
  return operands;
}

std::string Model::operandName(int operand) const {
  const std::vector<GraphOperand> operands = graphOperands();
  return operand < std::ssize(operands) ? operands[static_cast<size_t>(operand)].name : "scaler";  // whose state is in no graph
}

void Model::nameWritten() {
  std::vector<std::string> names;
  for (const size_t i : writtenState_) names.push_back(program_->state()[i].name);
  for (const size_t i : writtenInputs_) names.push_back("input " + program_->inputs()[i].name);
  if (tensors_.optimizer)
    for (const ir::Role role : {ir::Role::Parameter, ir::Role::State})
      for (const GraphOperand& operand : graphOperands())
        if (operand.role == role && (role == ir::Role::State || operand.tensor.requires_grad())) names.push_back(operand.name);
  names.resize(pristine_.size(), "the state of the scaler");
  for (const std::string& name : names) outputs_.push_back(name + " afterwards");
}

/// The step before it makes what the first one alone makes: cached casts, and the memory of libraries.
std::optional<Capture> Model::capture(Audit audit) {
  return translateErrors(op_, [&] {
    restore(0);
    run(*program_, tensors_, [] {});
    restore(0);
    reseedGenerator(device_);
    const auto step = [&](const Mark& mark) { return run(*program_, tensors_, mark); };
    Capture capture = captureStep({device_, graphOperands(), outputs_, static_cast<int>(phases().size())}, step, audit);
    const c10::InferenceMode normal(false);
    const at::NoGradGuard noGrad;
    capture.outputs = makeTensorList(settled(std::move(capture.outputs.state().tensors)));
    restore(0);
    return std::optional(std::move(capture));
  });
}

}  // namespace runtime
