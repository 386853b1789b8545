#include "runtime/capture/bound_call.h"

#include <ATen/Functions.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>

#include "ir/argument_values.h"
#include "ir/error.h"
#include "runtime/torch/aten_call.h"
#include "runtime/torch/call_graph.h"

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

}  // namespace

BoundCall::BoundCall(const ir::Node& node, std::optional<at::Device> device, Precision precision)
    : op_(findOperator(node.op)), outputs_(node.outputs) {
  const auto& formals = op_.schema().arguments();
  inputs::Inputs inputs;
  for (const ir::NamedArgument& argument : node.args)
    inputs.kwargs.emplace_back(argument.name, std::visit(BoundArgument{}, argument.value.data));
  arguments_ = bindArguments(node.op, op_.schema(), inputs, at::kCPU);
  std::vector<int> writes;
  effects_ = effectsOf(op_, arguments_);
  for (size_t i = 0; i < formals.size(); ++i) {
    const ir::Argument* given = node.find(formals[i].name());
    if (given == nullptr) continue;
    if (const auto* name = given->as<ir::DeviceName>()) arguments_[i] = device ? *device : at::Device(name->text);
    const bool isWritten = std::find(effects_.written.begin(), effects_.written.end(), i) != effects_.written.end();
    if (isWritten) ir::forEachValue(*given, [&](int value) { writes.push_back(value); });
    if (const auto* value = given->as<ir::ValueRef>()) slots_.push_back({i, -1, value->index});
    if (const auto* list = given->as<ir::List>())
      for (size_t k = 0; k < list->items.size(); ++k)
        if (const auto* value = list->items[k].as<ir::ValueRef>()) slots_.push_back({i, static_cast<int>(k), value->index});
  }
  // Tensors are bound later: until then a call with some looks like a factory, which is told where to run.
  const auto where = op_.schema().argumentIndexWithName("device");
  const ir::Argument* told = where ? node.find("device") : nullptr;
  if (where && !slots_.empty() && (told == nullptr || told->is<ir::None>())) arguments_[static_cast<size_t>(*where)] = IValue();
  if (!std::is_permutation(writes.begin(), writes.end(), node.writes.begin(), node.writes.end()))
    ir::fail(ir::ErrorKind::Input, "{} writes other values than its node says", node.op);
  if (precision == Precision::Float64) {
    arguments_ = inFloat64(op_.schema(), arguments_);
    form_ = float64FormOf(node.op);
  }
  readsHost_ = op_.hasTag(at::Tag::data_dependent_output);
}

void BoundCall::countFromGraphMemory(int64_t elements) {
  const auto offset = op_.schema().argumentIndexWithName("storage_offset");
  if (!offset || !arguments_[static_cast<size_t>(*offset)].isInt()) return;
  counted_ = static_cast<size_t>(*offset);
  arguments_[*counted_] = arguments_[*counted_].toInt() - elements;
}

std::vector<at::Tensor> BoundCall::operator()(const TensorOf& tensorOf, std::vector<ir::Argument>& hostReads) const {
  torch::jit::Stack stack = arguments_;
  int copied = -1;  // the argument whose list is this run's own
  for (const Slot& slot : slots_) {
    const at::Tensor& tensor = tensorOf(slot.value);
    if (slot.item < 0) {
      stack[slot.argument] = tensor;
      continue;
    }
    if (copied != static_cast<int>(slot.argument)) stack[slot.argument] = stack[slot.argument].toList().copy();
    copied = static_cast<int>(slot.argument);
    stack[slot.argument].toList().set(static_cast<size_t>(slot.item), tensor);
  }
  if (counted_) stack[*counted_] = stack[*counted_].toInt() + stack[0].toTensor().storage_offset();
  // An argument that gets other sizes and strides is another value from then on.
  if (effects_.changesMetadata) stack[0] = at::alias(stack[0].toTensor());
  if (form_ != nullptr)
    stack = {form_(stack)};
  else
    op_.callBoxed(stack);
  std::vector<at::Tensor> made;
  for (const IValue& result : stack) {
    if (readsHost_ && result.isScalar()) hostReads.push_back(numberIn(result.toScalar()));
    for (at::Tensor& tensor : tensorsIn(result))
      if (made.size() < outputs_.size()) made.push_back(std::move(tensor));
  }
  if (made.size() != outputs_.size())
    ir::fail(ir::ErrorKind::Input, "a call gives {} tensors, its node has {} outputs", made.size(), outputs_.size());
  return made;
}

struct GraphCalls::Modes {
  c10::InferenceMode normal{false};
  at::AutoDispatchBelowADInplaceOrView plain;
  c10::impl::ExcludeDispatchKeyGuard casts{c10::autocast_dispatch_keyset};
};

GraphCalls::GraphCalls() : modes_(std::make_unique<Modes>()) {}
GraphCalls::~GraphCalls() = default;

bool wantsGradients(const ir::Graph& graph, ir::Phase phase) {
  return phase == ir::Phase::Forward && std::any_of(graph.nodes.begin(), graph.nodes.end(),
                                                    [](const ir::Node& node) { return node.scope.phase == ir::Phase::Backward; });
}

}  // namespace runtime
