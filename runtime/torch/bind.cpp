#include <ATen/ops/scalar_tensor.h>

#include "ir/error.h"
#include "runtime/torch/schema.h"

namespace runtime {
namespace {

using c10::IValue;
using c10::TypeKind;

/// One argument on its way into the form that its declaration asks for.
class Binder {
 public:
  Binder(const std::string& op, const c10::Argument& formal, at::Device device) : op_(op), formal_(formal), device_(device) {}

  IValue operator()(const IValue& actual) const { return convert(formal_.type(), actual); }

 private:
  IValue convert(const c10::TypePtr& type, const IValue& actual) const {
    switch (type->kind()) {
      case TypeKind::OptionalType: return actual.isNone() ? IValue() : convert(type->containedType(0), actual);
      case TypeKind::ListType: return list(type->containedType(0), actual);
      case TypeKind::TensorType: return tensor(actual);
      case TypeKind::IntType:
      case TypeKind::SymIntType: return integer(actual);
      case TypeKind::FloatType:
        if (actual.isInt()) return static_cast<double>(actual.toInt());
        return expect(actual.isDouble(), actual);
      case TypeKind::BoolType:
        if (actual.isInt()) return actual.toInt() != 0;
        return expect(actual.isBool(), actual);
      case TypeKind::NumberType: return expect(actual.isScalar(), actual);
      case TypeKind::StringType: return expect(actual.isString(), actual);
      case TypeKind::DeviceObjType: return device_;
      case TypeKind::GeneratorType: return expect(actual.isNone(), actual);
      default: return actual;
    }
  }

  IValue expect(bool holds, const IValue& actual) const {
    if (!holds) {
      ir::fail(ir::ErrorKind::Input, "argument '{}' of {} must be {}, got {}", formal_.name(), op_,
               formal_.real_type()->repr_str(), actual.tagKind());
    }
    return actual;
  }

  IValue integer(const IValue& actual) const {
    if (actual.isBool()) return static_cast<int64_t>(actual.toBool());
    return expect(actual.isInt(), actual);
  }

  /// Python's numbers take part in type promotion as wrapped numbers: rank 0, on the host, and of the lowest priority.
  IValue tensor(const IValue& actual) const {
    if (actual.isTensor()) return actual;
    if (actual.isNone()) return at::Tensor();
    expect(actual.isScalar(), actual);
    const at::Scalar number = actual.toScalar();
    at::Tensor wrapped = at::scalar_tensor(number, at::TensorOptions(number.type()));
    wrapped.unsafeGetTensorImpl()->set_wrapped_number(true);
    return wrapped;
  }

  IValue list(const c10::TypePtr& element, const IValue& actual) const {
    c10::impl::GenericList items(element->kind() == TypeKind::SymIntType ? c10::TypePtr(c10::IntType::get()) : element);
    if (actual.isList() || actual.isTuple()) {
      const auto given = actual.isList() ? actual.toListRef() : c10::ArrayRef<IValue>(actual.toTupleRef().elements().vec());
      for (const IValue& item : given) items.push_back(convert(element, item));
    } else {
      const int32_t repeats = expect(actual.isScalar(), actual).isNone() ? 0 : formal_.N().value_or(1);
      for (int32_t i = 0; i < repeats; ++i) items.push_back(convert(element, actual));
    }
    return items;
  }

  const std::string& op_;
  const c10::Argument& formal_;
  at::Device device_;
};

/// The values given for the schema's arguments, by position; what was not given is missing.
std::vector<std::optional<IValue>> given(const std::string& op, const c10::FunctionSchema& schema, const inputs::Inputs& inputs) {
  std::vector<std::optional<IValue>> values(schema.arguments().size());
  for (std::size_t i = 0; i < inputs.args.size(); ++i) {
    if (i >= values.size() || schema.arguments()[i].kwarg_only()) {
      ir::fail(ir::ErrorKind::Input, "{} takes {} positional arguments, got {}", op, i, inputs.args.size());
    }
    values[i] = inputs.args[i];
  }
  for (const auto& [name, value] : inputs.kwargs) {
    const auto index = schema.argumentIndexWithName(name);
    if (!index) ir::fail(ir::ErrorKind::Input, "{} has no argument '{}'", op, name);
    if (values[*index]) ir::fail(ir::ErrorKind::Input, "argument '{}' of {} is given twice", name, op);
    values[*index] = value;
  }
  return values;
}

IValue bindOne(const std::string& op, const c10::Argument& formal, const std::optional<IValue>& actual, at::Device device) {
  // Pinned memory is the host's: a sample that asks for it runs on the device all the same.
  if (formal.name() == "pin_memory") return IValue();
  const bool optional = formal.type()->kind() == TypeKind::OptionalType;
  if (!actual || (actual->isNone() && !optional)) {
    if (formal.default_value()) return *formal.default_value();
    if (optional) return IValue();
    if (!actual) ir::fail(ir::ErrorKind::Input, "argument '{}' of {} is missing", formal.name(), op);
  }
  return Binder(op, formal, device)(*actual);
}

}  // namespace

torch::jit::Stack bindArguments(const std::string& op, const c10::FunctionSchema& schema, const inputs::Inputs& inputs,
                                at::Device device) {
  const auto values = given(op, schema, inputs);
  torch::jit::Stack stack;
  bool hasTensor = false;
  for (std::size_t i = 0; i < values.size(); ++i) {
    stack.push_back(bindOne(op, schema.arguments()[i], values[i], device));
    hasTensor = hasTensor || !tensorsIn(stack.back()).empty();
  }
  // A factory runs where it is told to; a call with tensors, where they are.
  for (std::size_t i = 0; i < values.size() && !hasTensor; ++i) {
    if (schema.arguments()[i].name() == "device") stack[i] = device;
  }
  return stack;
}

}  // namespace runtime
