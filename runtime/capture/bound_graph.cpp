#include "runtime/capture/bound_graph.h"

#include <ATen/Functions.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>

#include "ir/error.h"
#include "runtime/torch/call_graph.h"
#include "runtime/torch/call_state.h"

namespace runtime {
namespace {

using c10::IValue;

/// Turns a node's argument into ATen's; a value is an undefined tensor.
struct BoundArgument {
  IValue operator()(const ir::None&) const { return {}; }
  IValue operator()(bool value) const { return value; }
  IValue operator()(int64_t value) const { return value; }
  IValue operator()(double value) const { return value; }
  IValue operator()(std::complex<double> value) const { return c10::complex<double>(value); }
  IValue operator()(const std::string& value) const { return value; }
  IValue operator()(ir::DType dtype) const { return static_cast<int64_t>(inputs::scalarType(dtype)); }
  IValue operator()(const ir::DeviceName& device) const { return at::Device(device.text); }
  IValue operator()(const ir::Symbol& symbol) const { return inputs::symbolNumber(symbol.text); }
  IValue operator()(const ir::ValueRef&) const { return at::Tensor(); }
  IValue operator()(const ir::TensorType& type) const {
    ir::fail(ir::ErrorKind::Input, "a graph has the type {} as an argument", ir::toText(type));
  }
  IValue operator()(const ir::SparseTensor& tensor) const {
    ir::fail(ir::ErrorKind::Input, "a graph has {} as an argument", tensor.text);
  }
  IValue operator()(const ir::List& list) const {
    c10::impl::GenericList items(c10::AnyType::get());
    for (const ir::Argument& item : list.items) items.push_back(std::visit(*this, item.data));
    return items;
  }
};

template <typename F>
void forEachValue(const ir::Argument& argument, const F& f) {
  if (const auto* value = argument.as<ir::ValueRef>()) f(value->index);
  if (const auto* list = argument.as<ir::List>())
    for (const ir::Argument& item : list->items) forEachValue(item, f);
}
template <typename F>
void forEachValue(const ir::Node& node, const F& f) {
  for (const ir::NamedArgument& argument : node.args) forEachValue(argument.value, f);
  for (const int value : node.outputs) f(value);
}

}  // namespace

BoundGraph::BoundGraph(const ir::Graph& graph, std::optional<at::Device> device, Precision precision) : graph_(graph) {
  for (const ir::Node& node : graph.nodes)
    calls_.push_back(translateErrors(node.op, [&] { return bound(node, device, precision); }));
  std::vector<int> last(graph.values.size(), -1);
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    forEachValue(graph.nodes[i], [&](int value) { last[static_cast<size_t>(value)] = static_cast<int>(i); });
  for (const int output : graph.outputs) last[static_cast<size_t>(output)] = -1;
  for (size_t value = 0; value < last.size(); ++value)
    if (last[value] >= 0) calls_[static_cast<size_t>(last[value])].lastUsed.push_back(static_cast<int>(value));
  isTraining_ = std::any_of(graph.nodes.begin(), graph.nodes.end(),
                            [](const ir::Node& node) { return node.scope.phase == ir::Phase::Backward; });
}

BoundGraph::BoundCall BoundGraph::bound(const ir::Node& node, std::optional<at::Device> device, Precision precision) {
  BoundCall call{findOperator(node.op), {}, {}, node.outputs, {}, {}, false};
  const auto& formals = call.op.schema().arguments();
  inputs::Inputs inputs;
  for (const ir::NamedArgument& argument : node.args)
    inputs.kwargs.emplace_back(argument.name, std::visit(BoundArgument{}, argument.value.data));
  call.arguments = bindArguments(node.op, call.op.schema(), inputs, at::kCPU);
  std::vector<int> writes;
  call.effects = effectsOf(call.op, call.arguments);
  for (size_t i = 0; i < formals.size(); ++i) {
    const ir::Argument* given = node.find(formals[i].name());
    if (given == nullptr) continue;
    if (const auto* name = given->as<ir::DeviceName>()) call.arguments[i] = device ? *device : at::Device(name->text);
    const bool isWritten = std::find(call.effects.written.begin(), call.effects.written.end(), i) != call.effects.written.end();
    if (isWritten) forEachValue(*given, [&](int value) { writes.push_back(value); });
    if (const auto* value = given->as<ir::ValueRef>()) call.slots.push_back({i, -1, value->index});
    if (const auto* list = given->as<ir::List>())
      for (size_t k = 0; k < list->items.size(); ++k)
        if (const auto* value = list->items[k].as<ir::ValueRef>()) call.slots.push_back({i, static_cast<int>(k), value->index});
  }
  // Tensors are bound later: until then a call with some looks like a factory, which is told where to run.
  const auto where = call.op.schema().argumentIndexWithName("device");
  const ir::Argument* told = where ? node.find("device") : nullptr;
  if (where && !call.slots.empty() && (told == nullptr || told->is<ir::None>()))
    call.arguments[static_cast<size_t>(*where)] = IValue();
  if (!std::is_permutation(writes.begin(), writes.end(), node.writes.begin(), node.writes.end()))
    ir::fail(ir::ErrorKind::Input, "{} writes other values than its node says", node.op);
  if (precision == Precision::Float64) call.arguments = inFloat64(call.op.schema(), call.arguments);
  call.readsHost = call.op.hasTag(at::Tag::data_dependent_output);
  return call;
}

void BoundGraph::call(const BoundCall& one, std::vector<at::Tensor>& values, Results& results, const Observer& observe) const {
  torch::jit::Stack stack = one.arguments;
  int copied = -1;  // the argument whose list is this run's own
  for (const Slot& slot : one.slots) {
    const at::Tensor& tensor = values[static_cast<size_t>(slot.value)];
    if (slot.item < 0) {
      stack[slot.argument] = tensor;
      continue;
    }
    if (copied != static_cast<int>(slot.argument)) stack[slot.argument] = stack[slot.argument].toList().copy();
    copied = static_cast<int>(slot.argument);
    stack[slot.argument].toList().set(static_cast<size_t>(slot.item), tensor);
  }
  // An argument that gets other sizes and strides is another value from then on.
  if (one.effects.changesMetadata) stack[0] = at::alias(stack[0].toTensor());
  one.op.callBoxed(stack);
  size_t next = 0;
  for (const IValue& result : stack) {
    if (one.readsHost && result.isScalar()) results.hostReads.push_back(numberIn(result.toScalar()));
    for (at::Tensor& tensor : tensorsIn(result)) {
      if (next == one.outputs.size()) break;
      const int output = one.outputs[next++];
      at::Tensor& value = values[static_cast<size_t>(output)];
      if (observe) observe(output, tensor);
      if (!value.defined()) value = std::move(tensor);
    }
  }
  if (next != one.outputs.size())
    ir::fail(ir::ErrorKind::Input, "a call gives {} tensors, its node has {} outputs", next, one.outputs.size());
}

BoundGraph::Results BoundGraph::run(std::vector<at::Tensor> inputs, const Observer& observe) const {
  const c10::InferenceMode normal(false);
  const at::AutoDispatchBelowADInplaceOrView plain;
  const c10::impl::ExcludeDispatchKeyGuard casts(c10::autocast_dispatch_keyset);  // they are calls of the graph
  ir::require(inputs.size() == graph_.inputs.size(), "{} operands for the {} inputs of a graph", inputs.size(),
              graph_.inputs.size());
  std::vector<at::Tensor> values(graph_.values.size());
  for (size_t i = 0; i < inputs.size(); ++i) values[static_cast<size_t>(graph_.inputs[i])] = std::move(inputs[i]);
  Results results;
  for (size_t i = 0; i < calls_.size(); ++i) {
    // Kernels ask whether gradients are wanted: oneDNN's recurrent networks then keep what the backward pass reads.
    const at::AutoGradMode mode(isTraining_ && graph_.nodes[i].scope.phase == ir::Phase::Forward);
    translateErrors(graph_.nodes[i].op, [&] { call(calls_[i], values, results, observe); });
    for (const int value : calls_[i].lastUsed) values[static_cast<size_t>(value)].reset();
  }
  for (const int output : graph_.outputs) results.outputs.push_back(values[static_cast<size_t>(output)]);
  return results;
}

bool BoundGraph::isRandom() const {
  return std::any_of(calls_.begin(), calls_.end(), [](const BoundCall& call) { return call.effects.isRandom; });
}

}  // namespace runtime
