#include <ATen/ops/empty_strided.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>

#include "ir/error.h"
#include "runtime/torch/aten_call.h"
#include "runtime/torch/float64_forms.h"
#include "runtime/torch/precision.h"
#include "runtime/torch/state.h"
#include "runtime/torch/translate.h"
#include "runtime/torch/types.h"

namespace runtime {
namespace {

/// Whether the schema declares a dtype here; on the stack it is an integer like any other.
bool isDTypeArgument(const c10::Argument& formal) {
  const c10::TypePtr& type = formal.real_type();
  const bool optional = type->kind() == c10::TypeKind::OptionalType;
  return (optional ? type->containedType(0) : type)->kind() == c10::TypeKind::ScalarTypeType;
}

}  // namespace

torch::jit::Stack inFloat64(const c10::FunctionSchema& schema, const torch::jit::Stack& arguments) {
  torch::jit::Stack upcasts;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const c10::Argument& formal = schema.arguments()[i];
    if (isDTypeArgument(formal) && arguments[i].isInt()) {
      upcasts.emplace_back(static_cast<int64_t>(inDouble(arguments[i].toScalarType())));
    } else if (formal.name() == "half_to_float") {
      upcasts.emplace_back(false);  // double is wider than what it asks for, and refused
    } else {
      upcasts.push_back(mapTensors(arguments[i], [](const at::Tensor& tensor) { return inFloat64(tensor); }));
    }
  }
  return upcasts;
}

namespace {

torch::jit::Stack onHost(const torch::jit::Stack& arguments) {
  torch::jit::Stack host;
  for (const c10::IValue& value : arguments) {
    host.push_back(value.isDevice() ? c10::IValue(at::Device(at::kCPU)) : mapTensors(value, [](const at::Tensor& tensor) {
      return shapeLike(flatStorage(tensor).to(at::kCPU), tensor);
    }));
  }
  return host;
}

/// Runs a call on arguments upcast to float64; nothing where ATen has no float64 form of it.
TensorList givenInFloat64(const AtenCall& call, const torch::jit::Stack& given) {
  // Another precision draws other random numbers.
  if (call.effects.isRandom) return {};
  const DefaultInFloat64 precision(true);
  torch::jit::Stack stack;
  try {
    torch::jit::Stack arguments = inFloat64(call.handle.schema(), given);
    if (const Float64Form form = float64FormOf(call.op)) return makeTensorList(tensorsIn(form(arguments)));
    if (!call.device.is_cpu()) {
      try {
        return makeTensorList(call.run(arguments, stack));
      } catch (const c10::Error&) {  // no kernel for float64 on this device: the host has one
        arguments = onHost(inFloat64(call.handle.schema(), given));
      }
    }
    return makeTensorList(call.run(arguments, stack));
  } catch (const c10::Error&) {
    return {};
  } catch (const ir::Error&) {  // the form takes other arguments
    return {};
  }
}

/// Whether an operator's meaning is in where elements lie: another layout of the same elements is another call.
bool computesWithStrides(const c10::FunctionSchema& schema) {
  return schema.argumentIndexWithName("storage_offset") || schema.name() == "aten::_reshape_alias";
}

/// Values as eager's results have them, in the layout of these results.
at::Tensor laidOutAs(const at::Tensor& result, const at::Tensor& values) {
  TORCH_CHECK(result.sizes() == values.sizes() && result.scalar_type() == values.scalar_type(), "other results");
  return at::empty_strided(result.sizes(), result.strides(), result.options()).copy_(values);
}

/// Runs the call on copies of the arguments that it writes; its outputs, and its results as they are on the stack.
std::vector<at::Tensor> runOnCopies(const AtenCall& call, torch::jit::Stack& stack) {
  const c10::InferenceMode guard;
  torch::jit::Stack copies = call.arguments;
  for (int i : call.effects.written) copies[i] = mapTensors(copies[i], cloneStorage);
  return translateErrors(call.op, [&] { return call.run(copies, stack); });
}

}  // namespace

TensorList runOnCopies(const AtenCall& call) {
  call.seedGenerator();
  return runOnCopiesAgain(call);
}

TensorList runOnCopiesAgain(const AtenCall& call) {
  torch::jit::Stack stack;
  return makeTensorList(runOnCopies(call, stack));
}

TensorList runInFloat64(const AtenCall& call) {
  const c10::InferenceMode guard;
  return givenInFloat64(call, call.arguments);
}

std::vector<bool> definedReturns(const AtenCall& call) {
  torch::jit::Stack stack;
  runOnCopies(call, stack);
  std::vector<bool> defined;
  for (const c10::IValue& value : stack)
    if (value.isTensor()) defined.push_back(value.toTensor().defined());
  return defined;
}

EagerRuns runOnContiguous(const AtenCall& call) {
  const c10::InferenceMode guard;
  if (call.effects.isRandom || call.effects.changesMetadata || computesWithStrides(call.handle.schema())) return {};
  const std::vector<at::Tensor> operands = call.operands();
  if (std::all_of(operands.begin(), operands.end(), [](const at::Tensor& tensor) { return tensor.is_contiguous(); })) return {};
  torch::jit::Stack copies = call.arguments, stack;
  for (c10::IValue& value : copies)
    value = mapTensors(value, [](const at::Tensor& tensor) {
      const bool isNumber = tensor.unsafeGetTensorImpl()->is_wrapped_number();
      return isNumber ? tensor : tensor.clone(at::MemoryFormat::Contiguous);
    });
  try {
    EagerRuns runs;
    runs.float64 = givenInFloat64(call, copies);  // before it writes what it writes
    const std::vector<at::Tensor> values = call.run(copies, stack);
    std::vector<at::Tensor> results = runOnCopies(call).state().tensors;
    TORCH_CHECK(results.size() == values.size(), "other results");
    for (std::size_t i = 0; i < results.size(); ++i) results[i] = laidOutAs(results[i], values[i]);
    runs.eager = makeTensorList(std::move(results));
    return runs;
  } catch (const c10::Error&) {
    return {};
  }
}

}  // namespace runtime
