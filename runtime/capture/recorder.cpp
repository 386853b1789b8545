#include "runtime/capture/recorder.h"

#include <ATen/SequenceNumber.h>
#include <ATen/Tensor.h>
#include <fmt/format.h>
#include <torch/csrc/autograd/function.h>

#include <algorithm>

#include "ir/error.h"
#include "runtime/capture/audit.h"
#include "runtime/torch/call_graph.h"
#include "runtime/torch/state.h"
#include "runtime/torch/types.h"

namespace runtime {
namespace {

/// A number of Python's as a tensor, which does not promote others. What made it does not say so: the number stands in its place.
bool isWrappedNumber(const at::Tensor& tensor) { return tensor.unsafeGetTensorImpl()->is_wrapped_number(); }

}  // namespace

CallRecorder::CallRecorder(at::Device device, const std::vector<GraphOperand>& operands, Audit audit)
    : identity_(device), audit_(audit), nextSequence_(at::sequence_number::peek()) {
  for (const GraphOperand& operand : operands) {
    graph_.inputs.push_back(identity_.add(operand.tensor, operand.name, /*isOutside=*/true));
    identity_.setRole(graph_.inputs.back(), operand.role);
  }
}

void CallRecorder::call(InterceptedCall& call) {
  const c10::FunctionSchema& schema = call.op().schema();
  const std::string name = recordedName(call.op().operator_name());
  ir::Node node;
  node.op = name;
  try {
    const torch::jit::Stack arguments = call.arguments().vec();
    const Effects effects = effectsOf(call.op(), arguments);
    addArguments(name, schema, arguments, effects, node);
    node.scope = scopeOfNext();
    if (effects.isRandom && !graph_.generator)
      graph_.generator = identity_.add("random", ir::TensorType::contiguous(ir::DType::I64, {2}));
    const std::optional<ArgumentAudit> audit =
        audit_ == Audit::Yes ? std::optional<ArgumentAudit>(std::in_place, schema, arguments, effects) : std::nullopt;
    call.carryOut(Inner::Unseen);
    if (audit) audit->compare(undeclared_);
    if (isOver_ && !makesMemory(call.results())) return;
    for (const c10::IValue& result : call.results()) addResult(call.op(), result, node);
  } catch (const ir::Error& error) {
    const std::string what = error.what();
    ir::fail(error.kind(), "{}", what.starts_with(name) ? what : name + ": " + what);
  }
  graph_.nodes.push_back(std::move(node));
}

bool CallRecorder::makesMemory(c10::ArrayRef<c10::IValue> results) const {
  return std::any_of(results.begin(), results.end(), [&](const c10::IValue& result) {
    const std::vector<at::Tensor> tensors = tensorsIn(result);
    return std::any_of(tensors.begin(), tensors.end(), [&](const auto& tensor) { return !identity_.knowsMemory(tensor); });
  });
}

void CallRecorder::addArguments(const std::string& op, const c10::FunctionSchema& schema, c10::ArrayRef<c10::IValue> arguments,
                                const Effects& effects, ir::Node& node) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    const bool isWritten = std::find(effects.written.begin(), effects.written.end(), i) != effects.written.end();
    const TensorArgument tensor = [&](const std::string&, const at::Tensor& value) {
      ir::Argument argument = isWrappedNumber(value) && !isWritten ? numberIn(value) : argumentOf(op, value);
      const auto* ref = argument.as<ir::ValueRef>();
      if (isWritten && ref != nullptr && std::find(node.writes.begin(), node.writes.end(), ref->index) == node.writes.end())
        node.writes.push_back(ref->index);
      return argument;
    };
    const c10::Argument& formal = schema.arguments()[i];
    node.args.push_back({formal.name(), graphArgument(op, formal, arguments[i], tensor)});
  }
}

ir::Argument CallRecorder::argumentOf(const std::string& op, const at::Tensor& tensor) {
  if (const std::optional<int> value = identity_.find(tensor)) return ir::ValueRef{*value};
  if (!identity_.isOutside(tensor))
    ir::fail(ir::ErrorKind::Unsupported, "{} reads what a call made in a form that none gave it: {}", op,
             ir::toText(typeOf(tensor)));
  return ir::ValueRef{constant(tensor)};
}

int CallRecorder::constant(const at::Tensor& tensor) {
  const int value = identity_.add(tensor, fmt::format("constant{}", constants_.size()), /*isOutside=*/true);
  identity_.setRole(value, ir::Role::Constant);
  graph_.inputs.push_back(value);
  constants_.push_back(tensor);
  return value;
}

void CallRecorder::addResult(const c10::OperatorHandle& op, const c10::IValue& result, ir::Node& node) {
  if (op.hasTag(at::Tag::data_dependent_output) && result.isScalar()) hostReads_.push_back(numberIn(result.toScalar()));
  for (const at::Tensor& tensor : tensorsIn(result)) {
    const std::optional<int> known = identity_.find(tensor);
    node.outputs.push_back(known ? *known : identity_.add(tensor, fmt::format("t{}", graph_.nodes.size()), /*isOutside=*/false));
  }
}

ir::Scope CallRecorder::scopeOfNext() {
  ir::Scope scope;
  scope.phase = phase_;
  const int next = static_cast<int>(graph_.nodes.size());
  // The autograd node of a forward call has its number before the call is carried out, and keeps it in the backward pass.
  const uint64_t sequence = at::sequence_number::peek();
  for (; nextSequence_ < sequence; ++nextSequence_) forwardNodes_.emplace(nextSequence_, next);
  if (const auto gradient = phase_ == ir::Phase::Backward ? torch::autograd::get_current_node() : nullptr)
    if (const auto forward = forwardNodes_.find(gradient->sequence_nr());
        forward != forwardNodes_.end() && forward->second < next)
      scope.forward = forward->second;
  if (phase_ == ir::Phase::Forward) scope.module = module_;
  if (scope.forward >= 0) scope.module = graph_.nodes[static_cast<size_t>(scope.forward)].scope.module;
  return scope;
}

Capture CallRecorder::finish(const std::vector<at::Tensor>& outputs, const std::vector<std::string>& names) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    const std::optional<int> value = identity_.find(outputs[i]);
    graph_.outputs.push_back(value ? *value : constant(outputs[i]));
    const bool isMade = std::find(graph_.inputs.begin(), graph_.inputs.end(), graph_.outputs.back()) == graph_.inputs.end();
    const bool isNew =
        std::find(graph_.outputs.begin(), graph_.outputs.end() - 1, graph_.outputs.back()) == graph_.outputs.end() - 1;
    if (isMade && isNew) identity_.rename(graph_.outputs.back(), names.at(i));
  }
  graph_.values = identity_.values(graph_.storages);
  return {
      ir::numbered(std::move(graph_)), makeTensorList(std::move(constants_)), makeTensorList(outputs), std::move(hostReads_), 0,
      std::move(undeclared_)};
}

}  // namespace runtime
