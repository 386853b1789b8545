// The only file that includes TorchScript: its headers cost seconds.
#include "runtime/contenders/torchscript.h"

#include <c10/core/InferenceMode.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/codegen/fuser/interface.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/passes/tensorexpr_fuser.h>
#include <torch/csrc/jit/runtime/graph_executor.h>
#include <torch/csrc/jit/runtime/profiling_graph_executor_impl.h>

#include "runtime/callable.h"
#include "runtime/torch/aten_call.h"
#include "runtime/torch/state.h"
#include "runtime/workloads/call.h"

namespace runtime {
namespace {

/// Calls that the profiling executor needs before it has specialised, fused and compiled.
constexpr int warmUpCalls = 3;

/// Turns the switches of the process on. On a CPU torch fuses where it was built with LLVM, by its own default.
void enableFuser() {
  torch::jit::getExecutorMode() = true;
  torch::jit::getProfilingMode() = true;
  torch::jit::setTensorExprFuserEnabled(true);
  torch::jit::overrideCanFuseOnGPU(true);
  // Kept apart from the code around them, groups of a single operator are fused too: that is all there is here.
  torch::jit::debugSetFusionGroupInlining(false);
}

/// The interpreter puts a traceback before the message and ATen one after it; the message is the line that names the error.
std::string message(const std::string& text) {
  constexpr std::string_view mark = "Error: ";
  const std::size_t found = text.find(mark);
  const std::size_t begin = found == std::string::npos ? 0 : found + mark.size();
  return text.substr(begin, text.find('\n', begin) - begin);
}

class TorchscriptCallable : public Callable {
 public:
  explicit TorchscriptCallable(AtenCall& call) : call_(call) {
    enableFuser();
    function_ = std::make_unique<torch::jit::GraphFunction>("call", makeGraph(), nullptr);
    for (int i = 0; i < warmUpCalls; ++i) {
      call_.restore();
      TorchscriptCallable::operator()();
    }
    call_.restore();
  }

  void use(int number) override {
    set_ = number;
    inputs_.clear();
    for (const c10::IValue& value : call_.set(number))
      if (!tensorsIn(value).empty()) inputs_.push_back(value);
  }

  void reseed() override { call_.seedGenerator(); }

  TensorList operator()() override {
    const c10::InferenceMode guard;
    try {
      return makeTensorList(run());
    } catch (const std::exception& error) {
      ir::fail(ir::ErrorKind::Unsupported, "TorchScript cannot run {}: {}", call_.op, message(error.what()));
    }
  }

 private:
  std::shared_ptr<torch::jit::Graph> makeGraph();
  torch::jit::Value* addArgument(torch::jit::Graph& graph, const c10::Argument& formal, const c10::IValue& value);
  std::vector<at::Tensor> run();

  AtenCall& call_;
  int set_ = 0;
  std::unique_ptr<torch::jit::GraphFunction> function_;
  torch::jit::Stack inputs_;  ///< what the graph takes: the tensors; all else is constant in it
  torch::jit::Stack stack_;
};

/// One node, the call; tensors are the graph's inputs and every other argument a constant.
std::shared_ptr<torch::jit::Graph> TorchscriptCallable::makeGraph() {
  auto graph = std::make_shared<torch::jit::Graph>();
  const c10::FunctionSchema& schema = call_.handle.schema();
  std::vector<torch::jit::Value*> arguments;
  for (std::size_t i = 0; i < schema.arguments().size(); ++i) {
    arguments.push_back(addArgument(*graph, schema.arguments()[i], call_.arguments[i]));
  }
  torch::jit::Node* node = graph->create(c10::Symbol::fromQualString(schema.name()), arguments, schema.returns().size());
  graph->insertNode(node);
  for (std::size_t i = 0; i < schema.returns().size(); ++i) {
    node->output(i)->setType(schema.returns()[i].type());
  }
  const c10::FunctionSchema* found = node->maybeSchema();
  if (found == nullptr || found->overload_name() != schema.overload_name()) {
    ir::fail(ir::ErrorKind::Unsupported, "TorchScript has no operator {}", call_.op);
  }
  // A function returns one value.
  const bool isOne = node->outputs().size() == 1;
  graph->registerOutput(isOne ? node->output() : graph->insertNode(graph->createTuple(node->outputs()))->output());
  return graph;
}

torch::jit::Value* TorchscriptCallable::addArgument(torch::jit::Graph& graph, const c10::Argument& formal,
                                                    const c10::IValue& value) {
  if (!tensorsIn(value).empty()) {
    inputs_.push_back(value);
    torch::jit::Value* input = graph.addInput(formal.name());
    input->setType(formal.type()->kind() == c10::TypeKind::OptionalType && value.isTensor() ? c10::TypePtr(c10::TensorType::get())
                                                                                            : formal.type());
    return input;
  }
  if (value.isTensor()) return graph.insertConstant(c10::IValue());
  if (const auto constant = torch::jit::tryInsertConstant(graph, value)) return *constant;
  ir::fail(ir::ErrorKind::Unsupported, "TorchScript holds no constant for argument '{}' of {}", formal.name(), call_.op);
}

std::vector<at::Tensor> TorchscriptCallable::run() {
  stack_ = inputs_;
  function_->run(stack_);
  std::vector<at::Tensor> outputs;
  for (const c10::IValue& value : stack_) {
    for (at::Tensor& tensor : tensorsIn(value)) outputs.push_back(std::move(tensor));
  }
  call_.appendUnreturned(call_.set(set_), outputs);
  return outputs;
}

}  // namespace

CallablePtr torchscriptCallable(Call& call) { return std::make_unique<TorchscriptCallable>(call.aten()); }

}  // namespace runtime
