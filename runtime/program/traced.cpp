#include "runtime/program/traced.h"

#include <c10/core/InferenceMode.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/frontend/tracer.h>
#include <torch/csrc/jit/ir/ir.h>

#include "ir/error.h"

namespace runtime {
namespace {

using torch::jit::Stack;

class Traced : public Program {
 public:
  Traced(const Program& program, std::shared_ptr<torch::jit::Graph> graph)
      : state_(program.state()),
        inputs_(program.inputs()),
        outputNames_(program.outputNames()),
        bakedDtype_(program.bakedDtype()),
        function_(std::make_unique<torch::jit::GraphFunction>("program", std::move(graph), nullptr)) {}

  const std::vector<StateTensor>& state() const override { return state_; }
  const std::vector<ProgramInput>& inputs() const override { return inputs_; }
  const std::vector<std::string>& outputNames() const override { return outputNames_; }
  std::optional<std::string> bakedDtype() const override { return bakedDtype_; }

  std::vector<at::Tensor> run(const std::vector<at::Tensor>& state, const std::vector<at::Tensor>& inputs) const override {
    Stack stack(state.begin(), state.end());
    stack.insert(stack.end(), inputs.begin(), inputs.end());
    function_->run(stack);
    std::vector<at::Tensor> outputs;
    for (const c10::IValue& output : stack.at(0).toTupleRef().elements()) outputs.push_back(output.toTensor());
    return outputs;
  }

  std::unique_ptr<Program> inFloat64() const override {
    ir::fail(ir::ErrorKind::Unsupported, "a traced program has no form in float64");
  }

 private:
  std::vector<StateTensor> state_;
  std::vector<ProgramInput> inputs_;
  std::vector<std::string> outputNames_;
  std::optional<std::string> bakedDtype_;
  std::unique_ptr<torch::jit::GraphFunction> function_;
};

}  // namespace

std::unique_ptr<Program> traced(const Program& program, const std::vector<at::Tensor>& state,
                                const std::vector<at::Tensor>& inputs) {
  const c10::InferenceMode normal(false);
  const at::NoGradGuard noGrad;
  Stack arguments;
  for (size_t i = 0; i < state.size(); ++i)
    arguments.emplace_back(program.state()[i].role == Role::Buffer ? state[i].clone() : state[i]);
  arguments.insert(arguments.end(), inputs.begin(), inputs.end());
  const auto body = [&](const Stack& given) -> Stack {
    std::vector<at::Tensor> tensors;
    for (const c10::IValue& value : given) tensors.push_back(value.toTensor());
    const auto middle = tensors.begin() + static_cast<std::ptrdiff_t>(state.size());
    std::vector<c10::IValue> outputs;
    for (at::Tensor& output : program.run({tensors.begin(), middle}, {middle, tensors.end()}))
      outputs.emplace_back(std::move(output));
    return {c10::ivalue::Tuple::create(std::move(outputs))};
  };
  const auto [trace, results] = torch::jit::tracer::trace(std::move(arguments), body, [](const at::Tensor&) { return ""; });
  return std::make_unique<Traced>(program, trace->graph);
}

}  // namespace runtime
