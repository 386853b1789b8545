#include <c10/core/InferenceMode.h>

#include "runtime/torch/call_state.h"
#include "runtime/torch/types.h"

namespace runtime {
namespace {

at::ScalarType upcastType(at::ScalarType type) {
  if (at::isFloatingType(type)) return at::kDouble;
  return at::isComplexType(type) ? at::kComplexDouble : type;
}

}  // namespace

at::Tensor inFloat64(const at::Tensor& tensor) {
  if (tensor.unsafeGetTensorImpl()->is_wrapped_number()) return tensor;
  const at::Tensor flat = flatStorage(tensor);
  const at::ScalarType type = upcastType(tensor.scalar_type());
  return shapeLike(type == tensor.scalar_type() ? flat.clone() : flat.to(type), tensor);
}

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
      upcasts.emplace_back(static_cast<int64_t>(upcastType(arguments[i].toScalarType())));
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

}  // namespace

TensorList Call::runEagerInFloat64() {
  // Another precision draws other random numbers.
  if (state_->effects.isRandom) return {};
  const c10::InferenceMode guard;
  const DefaultInFloat64 precision(true);
  torch::jit::Stack stack;
  try {
    torch::jit::Stack arguments = inFloat64(state_->handle.schema(), state_->arguments);
    if (!state_->device.is_cpu()) {
      try {
        return makeTensorList(state_->run(arguments, stack));
      } catch (const c10::Error&) {  // no kernel for float64 on this device: the host has one
        arguments = onHost(inFloat64(state_->handle.schema(), state_->arguments));
      }
    }
    return makeTensorList(state_->run(arguments, stack));
  } catch (const c10::Error&) {
    return {};
  }
}

}  // namespace runtime
