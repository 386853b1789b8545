#include "runtime/torch/aten_call.h"

#include <ATen/Context.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <mutex>
#include <string_view>

#include "runtime/torch/guard.h"
#include "runtime/torch/refusal.h"
#include "runtime/torch/saved_results.h"
#include "runtime/torch/state.h"
#include "runtime/torch/translate.h"
#include "runtime/torch/types.h"

namespace runtime {
namespace {

/// A tensor that is only read, between guards; a number stays one.
at::Tensor fenced(const at::Tensor& tensor, bool hasOffset) {
  return tensor.unsafeGetTensorImpl()->is_wrapped_number() ? tensor : cloneBetweenGuards(tensor, hasOffset);
}

/// Whether an operator counts elements from the beginning of an argument's storage.
bool addressesStorages(const c10::OperatorHandle& handle) {
  return handle.schema().argumentIndexWithName("storage_offset").has_value();
}

/// Copies the elements of the tensors in `from` to the tensors in `to`, which have their types.
void copyElements(const torch::jit::Stack& from, const torch::jit::Stack& to) {
  for (std::size_t i = 0; i < from.size(); ++i) {
    const std::vector<at::Tensor> sources = tensorsIn(from[i]);
    const std::vector<at::Tensor> targets = tensorsIn(to[i]);
    for (std::size_t k = 0; k < targets.size(); ++k) flatStorage(targets[k]).copy_(flatStorage(sources[k]));
  }
}

/// Operators whose outputs are allocated and left as they are.
bool leavesUnwritten(const std::string& op) {
  static const std::vector<std::string_view> packets{"aten.empty.",          "aten.empty_like.",     "aten.empty_strided.",
                                                     "aten.new_empty.",      "aten.empty_permuted.", "aten.new_empty_strided.",
                                                     "aten.empty_quantized."};
  return std::any_of(packets.begin(), packets.end(), [&](std::string_view packet) { return op.starts_with(packet); });
}

}  // namespace

AtenCall::AtenCall(const inputs::Sample& sample, at::Device device, uint64_t seed, const inputs::Data& data)
    : sample(sample), op(sample.op), handle(findOperator(sample.op)), device(device), seed(seed) {
  const c10::InferenceMode guard;
  arguments = drawn(data);
  effects = effectsOf(handle, arguments);
  if (device.is_meta()) return;  // there is nothing to restore
  const bool hasOffset = !addressesStorages(handle);
  const auto read = [hasOffset](const at::Tensor& tensor) { return fenced(tensor, hasOffset); };
  for (std::size_t i = 0; i < arguments.size() && !effects.changesMetadata; ++i)
    arguments[i] = isWritten(static_cast<int>(i)) ? mapTensors(arguments[i], cloneGuarded) : mapTensors(arguments[i], read);
  written.push_back(writtenOf(arguments));
  for (const at::Tensor& storage : written[0]) pristine.push_back(storage.clone());
}

std::vector<at::Tensor> AtenCall::writtenOf(const torch::jit::Stack& set) const {
  std::vector<at::Tensor> storages;
  for (int i : effects.written)
    for (const at::Tensor& tensor : tensorsIn(set[i])) storages.push_back(flatStorage(tensor));
  return storages;
}

bool AtenCall::isWritten(int argument) const {
  return std::find(effects.written.begin(), effects.written.end(), argument) != effects.written.end();
}

std::vector<at::Tensor> AtenCall::operands(int number) const {
  std::vector<at::Tensor> tensors;
  for (const c10::IValue& value : set(number))
    for (at::Tensor& tensor : tensorsIn(value)) tensors.push_back(std::move(tensor));
  return tensors;
}

void AtenCall::addSet() {
  const auto copied = [](const at::Tensor& tensor) {
    return tensor.unsafeGetTensorImpl()->is_wrapped_number() ? tensor : cloneStorage(tensor);
  };
  torch::jit::Stack copy = arguments;
  for (c10::IValue& value : copy) value = mapTensors(value, copied);
  for (int i : effects.written) copy[i] = mapTensors(arguments[i], cloneGuarded);
  written.push_back(writtenOf(copy));
  copies.push_back(std::move(copy));
}

torch::jit::Stack AtenCall::drawn(const inputs::Data& data) const {
  torch::jit::Stack arguments = bindArguments(op, handle.schema(), inputs::materialize(sample, device, seed, data), device);
  if (device.is_cuda()) refuseHostState(op, handle.schema(), arguments);
  if (!device.is_meta()) saveResults(sample, handle, arguments);
  return arguments;
}

void AtenCall::draw(uint64_t newSeed, const inputs::Data& data) {
  const c10::InferenceMode guard;
  seed = newSeed;
  const torch::jit::Stack fresh = drawn(data);
  copyElements(fresh, arguments);
  for (const torch::jit::Stack& copy : copies) copyElements(fresh, copy);
  for (std::size_t i = 0; i < pristine.size(); ++i) pristine[i].copy_(written[0][i]);
}

std::vector<at::Tensor> AtenCall::run(const torch::jit::Stack& given, torch::jit::Stack& stack) const {
  stack = given;
  if (effects.changesMetadata || effects.changesLists) {
    // A shallow copy takes the new sizes and strides, or the new items, so that the argument can be used again.
    for (c10::IValue& value : stack) value = mapTensors(value, [](const at::Tensor& tensor) { return tensor.detach(); });
  }
  handle.callBoxed(&stack);
  std::vector<at::Tensor> outputs;
  for (const c10::IValue& value : stack) {
    if (value.isTensor()) {
      if (value.toTensor().defined()) outputs.push_back(value.toTensor());
    } else if (value.isList()) {
      for (const at::Tensor& tensor : tensorsIn(value)) outputs.push_back(tensor);
    }
  }
  appendUnreturned(given, outputs);
  return outputs;
}

void AtenCall::appendUnreturned(const torch::jit::Stack& given, std::vector<at::Tensor>& outputs) const {
  for (int i : effects.written) {
    if (std::find(effects.returned.begin(), effects.returned.end(), i) != effects.returned.end()) continue;
    for (const at::Tensor& tensor : tensorsIn(given[i])) outputs.push_back(tensor);
  }
}

void AtenCall::restore(int number) {
  const c10::InferenceMode guard;
  const std::vector<at::Tensor>& storages = written.at(static_cast<std::size_t>(number));
  for (std::size_t i = 0; i < pristine.size(); ++i) storages[i].copy_(pristine[i]);
}

void AtenCall::seedGenerator() const {
  if (!effects.isRandom) return;
  at::Generator generator = at::globalContext().defaultGenerator(device);
  const std::lock_guard<std::mutex> lock(generator.mutex());
  generator.set_current_seed(seed);
}

bool AtenCall::isView() {
  if (!isView_) isView_ = findWhetherView();
  return *isView_;
}

bool AtenCall::findWhetherView() const {
  if (leavesUnwritten(op)) return true;
  if (!effects.written.empty()) return false;
  const c10::InferenceMode guard;
  torch::jit::Stack stack;
  const std::vector<at::Tensor> inputs = operands();
  const std::vector<at::Tensor> outputs = translateErrors(op, [&] { return run(arguments, stack); });
  seedGenerator();
  return !outputs.empty() && std::all_of(outputs.begin(), outputs.end(), [&](const at::Tensor& output) {
    return std::any_of(inputs.begin(), inputs.end(), [&](const at::Tensor& input) { return output.is_alias_of(input); });
  });
}

}  // namespace runtime
