#include "runtime/capture/replay.h"

#include <ATen/Functions.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>

#include "ir/error.h"
#include "runtime/torch/call_graph.h"
#include "runtime/torch/call_state.h"
#include "runtime/torch/state.h"

namespace runtime {
namespace {

using c10::IValue;

/// Turns a node's argument into ATen's; values are those of the replay.
struct ReplayedArgument {
  const std::vector<at::Tensor>& values;

  IValue operator()(const ir::None&) const { return {}; }
  IValue operator()(bool value) const { return value; }
  IValue operator()(int64_t value) const { return value; }
  IValue operator()(double value) const { return value; }
  IValue operator()(std::complex<double> value) const { return c10::complex<double>(value); }
  IValue operator()(const std::string& value) const { return value; }
  IValue operator()(ir::DType dtype) const { return static_cast<int64_t>(inputs::scalarType(dtype)); }
  IValue operator()(const ir::DeviceName& device) const { return at::Device(device.text); }
  IValue operator()(const ir::Symbol& symbol) const { return inputs::symbolNumber(symbol.text); }
  IValue operator()(const ir::ValueRef& value) const { return values[static_cast<size_t>(value.index)]; }
  IValue operator()(const ir::TensorType& type) const {
    ir::fail(ir::ErrorKind::Internal, "a graph has the type {} as an argument", ir::toText(type));
  }
  IValue operator()(const ir::SparseTensor& tensor) const {
    ir::fail(ir::ErrorKind::Internal, "a graph has {} as an argument", tensor.text);
  }
  IValue operator()(const ir::List& list) const {
    c10::impl::GenericList items(c10::AnyType::get());
    for (const ir::Argument& item : list.items) items.push_back(std::visit(*this, item.data));
    return items;
  }
};

/// Carries out nodes one after another. A value is let go after the last node that names it.
class Replayer {
 public:
  Replayer(const ir::Graph& graph, const std::vector<at::Tensor>& inputs)
      : graph_(graph), values_(graph.values.size()), lastUse_(graph.values.size(), -1) {
    for (size_t i = 0; i < inputs.size(); ++i) values_[static_cast<size_t>(graph.inputs[i])] = inputs[i];
    for (size_t i = 0; i < graph.nodes.size(); ++i)
      forEachValue(graph.nodes[i], [&](int value) { lastUse_[static_cast<size_t>(value)] = static_cast<int>(i); });
    isTraining_ = std::any_of(graph.nodes.begin(), graph.nodes.end(),
                              [](const ir::Node& node) { return node.scope.phase == ir::Phase::Backward; });
    for (const int value : graph.outputs) lastUse_[static_cast<size_t>(value)] = static_cast<int>(graph.nodes.size());
  }

  Replay run() {
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      const ir::Node& node = graph_.nodes[i];
      // Kernels ask whether gradients are wanted: oneDNN's recurrent networks then keep what the backward pass reads.
      const at::AutoGradMode mode(isTraining_ && node.scope.phase == ir::Phase::Forward);
      translateErrors(node.op, [&] { call(node); });
      forEachValue(node, [&](int value) {
        if (lastUse_[static_cast<size_t>(value)] == static_cast<int>(i)) values_[static_cast<size_t>(value)] = at::Tensor();
      });
    }
    std::vector<at::Tensor> outputs;
    for (const int value : graph_.outputs) outputs.push_back(values_[static_cast<size_t>(value)]);
    return {makeTensorList(std::move(outputs)), std::move(hostReads_)};
  }

 private:
  template <typename F>
  static void forEachValue(const ir::Argument& argument, const F& f) {
    if (const auto* value = argument.as<ir::ValueRef>()) f(value->index);
    if (const auto* list = argument.as<ir::List>())
      for (const ir::Argument& item : list->items) forEachValue(item, f);
  }
  template <typename F>
  static void forEachValue(const ir::Node& node, const F& f) {
    for (const ir::NamedArgument& argument : node.args) forEachValue(argument.value, f);
    for (const int value : node.outputs) f(value);
  }

  void call(const ir::Node& node) {
    const c10::OperatorHandle op = findOperator(node.op);
    torch::jit::Stack stack = stackOf(node, op);
    // An argument that gets other sizes and strides is another value from then on.
    if (effectsOf(op, stack).changesMetadata) stack[0] = at::alias(stack[0].toTensor());
    op.callBoxed(stack);
    std::vector<at::Tensor> made;
    for (const IValue& result : stack) {
      if (op.hasTag(at::Tag::data_dependent_output) && result.isScalar()) hostReads_.push_back(numberIn(result.toScalar()));
      const std::vector<at::Tensor> tensors = tensorsIn(result);
      made.insert(made.end(), tensors.begin(), tensors.end());
    }
    ir::require(made.size() == node.outputs.size(), "{} gives {} tensors where the graph has {}", node.op, made.size(),
                node.outputs.size());
    for (size_t i = 0; i < made.size(); ++i) {
      at::Tensor& value = values_[static_cast<size_t>(node.outputs[i])];
      if (!value.defined()) value = std::move(made[i]);
    }
  }

  torch::jit::Stack stackOf(const ir::Node& node, const c10::OperatorHandle& op) const {
    inputs::Inputs inputs;
    for (const ir::NamedArgument& argument : node.args)
      inputs.kwargs.emplace_back(argument.name, std::visit(ReplayedArgument{values_}, argument.value.data));
    torch::jit::Stack stack = bindArguments(node.op, op.schema(), inputs, at::kCPU);
    for (size_t i = 0; i < stack.size(); ++i)
      if (inputs.kwargs[i].second.isDevice()) stack[i] = inputs.kwargs[i].second;  // the one that was captured
    return stack;
  }

  const ir::Graph& graph_;
  std::vector<at::Tensor> values_;
  std::vector<int> lastUse_;
  std::vector<ir::Argument> hostReads_;
  bool isTraining_ = false;
};

}  // namespace

Replay replay(const Capture& capture, const TensorList& operands) {
  const c10::InferenceMode normal(false);
  const at::AutoDispatchBelowADInplaceOrView plain;
  const c10::impl::ExcludeDispatchKeyGuard casts(c10::autocast_dispatch_keyset);  // they are calls of the graph
  std::vector<at::Tensor> inputs = operands.state().tensors;
  if (capture.constants) {
    const std::vector<at::Tensor>& constants = capture.constants.state().tensors;
    inputs.insert(inputs.end(), constants.begin(), constants.end());
  }
  ir::require(inputs.size() == capture.graph.inputs.size(), "{} operands for the {} inputs of a graph", inputs.size(),
              capture.graph.inputs.size());
  return Replayer(capture.graph, inputs).run();
}

}  // namespace runtime
