#include "runtime/torch/schema.h"

#include <algorithm>

#include "inputs/operator_name.h"
#include "ir/error.h"
#include "runtime/torch/refusal.h"

namespace runtime {
namespace {

/// `aten.add.Tensor` as ATen names it: {`aten::add`, `Tensor`}; `default` is the empty overload.
c10::OperatorName operatorName(const std::string& op) {
  const std::size_t first = op.find('.');
  const std::size_t second = first == std::string::npos ? first : op.find('.', first + 1);
  if (second == std::string::npos) return {op, ""};
  const std::string overload = op.substr(second + 1);
  return {op.substr(0, first) + "::" + op.substr(first + 1, second - first - 1), overload == "default" ? "" : overload};
}

/// Arguments that an operator writes without its schema saying so, while `flag` is true: running statistics, and what the forward
/// call of oneDNN's recurrent networks keeps for the backward one. Audits of captures (runtime/capture/audit.h) find others.
struct HiddenWrites {
  std::string_view op;
  std::string_view flag;
  std::vector<std::string_view> arguments;
};

const std::vector<HiddenWrites>& hiddenWrites() {
  static const std::vector<HiddenWrites> table{
      {"aten::native_batch_norm", "training", {"running_mean", "running_var"}},
      {"aten::batch_norm", "training", {"running_mean", "running_var"}},
      {"aten::cudnn_batch_norm", "training", {"running_mean", "running_var"}},
      {"aten::miopen_batch_norm", "training", {"running_mean", "running_var"}},
      {"aten::instance_norm", "use_input_stats", {"running_mean", "running_var"}},
      {"aten::mkldnn_rnn_layer_backward", "train", {"workspace"}},
  };
  return table;
}

void addHiddenWrites(const c10::FunctionSchema& schema, const torch::jit::Stack& arguments, std::vector<int>& written) {
  for (const HiddenWrites& entry : hiddenWrites()) {
    if (entry.op != schema.name() || !arguments.at(*schema.argumentIndexWithName(std::string(entry.flag))).toBool()) continue;
    for (std::string_view name : entry.arguments) written.push_back(*schema.argumentIndexWithName(std::string(name)));
  }
  std::sort(written.begin(), written.end());
}

/// The written argument that shares an alias set with a return, or -1.
int returnedArgument(const c10::FunctionSchema& schema, const c10::Argument& result, const std::vector<int>& written) {
  const c10::AliasInfo* alias = result.alias_info();
  if (alias == nullptr || !alias->isWrite()) return -1;
  for (int i : written) {
    const c10::AliasInfo* other = schema.arguments()[i].alias_info();
    if (other != nullptr && other->beforeSets() == alias->beforeSets()) return i;
  }
  return -1;
}

}  // namespace

std::optional<c10::OperatorHandle> findRegistered(const std::string& name) {
  const std::size_t dot = name.find('.');
  const std::string overload = dot == std::string::npos ? "" : name.substr(dot + 1);
  return c10::Dispatcher::singleton().findSchema({name.substr(0, dot), overload});
}

c10::OperatorHandle findOperator(const std::string& op) {
  if (const auto refusal = inputs::refusalOf(op)) ir::fail(ir::ErrorKind::Input, "{}", *refusal);
  if (!inputs::isCall(op))
    ir::fail(ir::ErrorKind::Input, "{} is a {}, not a call", op, inputs::isRegion(op) ? "region" : "network");
  const std::string* reference = inputs::referenceOf(op);
  const auto handle =
      reference != nullptr ? findRegistered(*reference) : c10::Dispatcher::singleton().findSchema(operatorName(op));
  if (!handle && reference != nullptr) ir::fail(ir::ErrorKind::Input, "no library registers {}, which {} needs", *reference, op);
  if (!handle) ir::fail(ir::ErrorKind::Input, "ATen has no operator {}", op);
  if (const auto reason = refusalOf(handle->schema())) ir::fail(ir::ErrorKind::Unsupported, "{} is refused: {}", op, *reason);
  return *handle;
}

std::string recordedName(const c10::OperatorName& name) {
  std::string text = name.name;
  text.replace(text.find("::"), 2, ".");
  return text + "." + (name.overload_name.empty() ? "default" : name.overload_name);
}

std::optional<double> chanceOf(const c10::FunctionSchema& schema, const torch::jit::Stack& arguments) {
  const auto place = schema.argumentIndexWithName("dropout_p");
  if (!place || !arguments[static_cast<std::size_t>(*place)].isDouble()) return std::nullopt;
  return arguments[static_cast<std::size_t>(*place)].toDouble();
}

bool isRandom(const c10::OperatorHandle& op, std::optional<double> chance) {
  return op.hasTag(at::Tag::nondeterministic_seeded) && chance != 0.0;
}

Effects effectsOf(const c10::OperatorHandle& op, const torch::jit::Stack& arguments) {
  const c10::FunctionSchema& schema = op.schema();
  Effects effects;
  effects.isRandom = isRandom(op, chanceOf(schema, arguments));
  effects.changesMetadata = op.hasTag(at::Tag::inplace_view);
  effects.changesLists = schema.name().starts_with("aten::_unsafe_masked_index");
  if (!effects.changesMetadata) {
    for (std::size_t i = 0; i < schema.arguments().size(); ++i) {
      const c10::AliasInfo* alias = schema.arguments()[i].alias_info();
      if (alias != nullptr && alias->isWrite()) effects.written.push_back(static_cast<int>(i));
    }
    addHiddenWrites(schema, arguments, effects.written);
  }
  for (const c10::Argument& result : schema.returns())
    effects.returned.push_back(returnedArgument(schema, result, effects.written));
  return effects;
}

c10::IValue mapTensors(const c10::IValue& value, const std::function<at::Tensor(const at::Tensor&)>& replace) {
  if (value.isTensor()) return value.toTensor().defined() ? c10::IValue(replace(value.toTensor())) : value;
  if (!value.isList()) return value;
  c10::impl::GenericList list(value.toList().elementType());
  for (const c10::IValue& item : value.toListRef()) list.push_back(mapTensors(item, replace));
  return list;
}

std::vector<at::Tensor> tensorsIn(const c10::IValue& value) {
  std::vector<at::Tensor> tensors;
  if (value.isTensor() && value.toTensor().defined()) tensors.push_back(value.toTensor());
  const auto addAll = [&](c10::ArrayRef<c10::IValue> items) {
    for (const c10::IValue& item : items) {
      for (const at::Tensor& tensor : tensorsIn(item)) tensors.push_back(tensor);
    }
  };
  if (value.isList()) addAll(value.toListRef());
  if (value.isTuple()) addAll(value.toTupleRef().elements());
  return tensors;
}

}  // namespace runtime
