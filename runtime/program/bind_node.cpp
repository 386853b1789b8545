#include <ATen/core/Tensor.h>
#include <ATen/ops/scalar_tensor.h>
#include <fmt/format.h>

#include "inputs/text/printable.h"
#include "inputs/text/scanner.h"
#include "ir/error.h"
#include "runtime/program/arithmetic.h"
#include "runtime/program/exported.h"
#include "runtime/program/instruction.h"
#include "runtime/torch/float64_forms.h"
#include "runtime/torch/schema.h"

namespace runtime {
namespace {

using c10::IValue;
using c10::TypeKind;
using inputs::ExportedProgram;
using Argument = ExportedProgram::Argument;
using Kind = Argument::Kind;

/// Whether an operator only checks what the exporter knew.
bool asserts(std::string_view op) {
  for (std::string_view packet : {"aten._assert_tensor_metadata.", "aten._assert_scalar.", "aten._assert_async.",
                                  "aten.sym_constrain_range.", "aten.sym_constrain_range_for_size."})
    if (op.starts_with(packet)) return true;
  return false;
}

bool isFloating(const Argument& dtype) {
  return dtype.kind == Kind::ScalarType && at::isFloatingType(exportedType(static_cast<int>(dtype.integer)));
}

bool hasTensor(const ExportedProgram& program, const Argument& argument) {
  if (argument.kind == Kind::Value)
    return program.values[static_cast<size_t>(argument.integer)].kind == ExportedProgram::ValueKind::Tensor;
  return std::any_of(argument.items.begin(), argument.items.end(),
                     [&](const Argument& item) { return hasTensor(program, item); });
}

bool takesTensors(const ExportedProgram& program, const ExportedProgram::Node& node) {
  return std::any_of(node.arguments.begin(), node.arguments.end(),
                     [&](const ExportedProgram::NamedArgument& argument) { return hasTensor(program, argument.value); });
}

at::ScalarType raised(at::ScalarType type) {
  if (at::isFloatingType(type)) return at::kDouble;
  return at::isComplexType(type) ? at::kComplexDouble : type;
}

IValue wrappedNumber(const at::Scalar& number) {
  at::Tensor wrapped = at::scalar_tensor(number, at::TensorOptions(number.type()));
  wrapped.unsafeGetTensorImpl()->set_wrapped_number(true);
  return wrapped;
}

at::MemoryFormat memoryFormat(int64_t number) {
  constexpr at::MemoryFormat formats[] = {at::MemoryFormat::Contiguous, at::MemoryFormat::ChannelsLast,
                                          at::MemoryFormat::ChannelsLast3d, at::MemoryFormat::Preserve};
  return formats[number - 1];
}

/// An argument on its way to the form that the schema declares.
class NodeBinder {
 public:
  NodeBinder(const ExportedProgram& program, const std::string& label, const c10::Argument& formal, Baked baked)
      : program_(program), label_(label), formal_(formal), baked_(baked) {}

  Operand operator()(const Argument& argument) const { return convert(argument, formal_.real_type()); }

 private:
  Operand convert(const Argument& argument, const c10::TypePtr& type) const {
    if (type->kind() == TypeKind::OptionalType)
      return argument.kind == Kind::None ? constant(IValue()) : convert(argument, type->containedType(0));
    if (type->kind() == TypeKind::DeviceObjType) {
      if (argument.kind != Kind::Device) refuse(argument, *type);
      Operand device;
      device.kind = Operand::Kind::Device;
      return device;
    }
    if (type->kind() == TypeKind::ListType) return list(argument, type->containedType(0));
    if (argument.kind == Kind::Value) return value(argument, *type);
    return constant(literal(argument, *type));
  }

  static Operand constant(IValue value) {
    Operand operand;
    operand.constant = std::move(value);
    return operand;
  }

  Operand value(const Argument& argument, const c10::Type& type) const {
    using ValueKind = ExportedProgram::ValueKind;
    const ValueKind kind = program_.values[static_cast<size_t>(argument.integer)].kind;
    Operand operand;
    operand.kind = Operand::Kind::Value;
    operand.value = static_cast<int>(argument.integer);
    const bool fits = [&] {
      switch (type.kind()) {
        case TypeKind::TensorType: return true;
        case TypeKind::FloatType:
        case TypeKind::SymFloatType: return kind == ValueKind::Int || kind == ValueKind::Float;
        case TypeKind::IntType:
        case TypeKind::SymIntType: return kind == ValueKind::Int;
        case TypeKind::BoolType:
        case TypeKind::SymBoolType: return kind == ValueKind::Bool;
        case TypeKind::NumberType: return kind != ValueKind::Tensor;
        default: return false;
      }
    }();
    if (!fits) refuse(argument, type);
    if (type.kind() == TypeKind::TensorType && kind != ValueKind::Tensor) operand.form = Operand::Form::WrappedNumber;
    if (type.kind() == TypeKind::FloatType || type.kind() == TypeKind::SymFloatType) operand.form = Operand::Form::Float;
    return operand;
  }

  Operand list(const Argument& argument, const c10::TypePtr& element) const {
    Operand operand;
    operand.kind = Operand::Kind::List;
    operand.elementType = element->kind() == TypeKind::SymIntType ? c10::TypePtr(c10::IntType::get()) : element;
    if (argument.kind == Kind::List) {
      for (const Argument& item : argument.items) operand.items.push_back(convert(item, element));
    } else {  // one number for all dimensions
      if (!formal_.N()) refuse(argument, *element);
      for (int32_t i = 0; i < *formal_.N(); ++i) operand.items.push_back(convert(argument, element));
    }
    const bool isConstant = element->kind() != TypeKind::TensorType &&
                            std::all_of(operand.items.begin(), operand.items.end(),
                                        [](const Operand& item) { return item.kind == Operand::Kind::Constant; });
    if (!isConstant) return operand;
    c10::impl::GenericList items(operand.elementType);
    for (const Operand& item : operand.items) items.push_back(item.constant);
    return constant(items);
  }

  IValue literal(const Argument& argument, const c10::Type& type) const {
    const bool isNumber = argument.kind == Kind::Int || argument.kind == Kind::Float || argument.kind == Kind::Complex ||
                          argument.kind == Kind::Bool;
    const bool isEnum = argument.kind == Kind::ScalarType || argument.kind == Kind::Layout || argument.kind == Kind::MemoryFormat;
    switch (type.kind()) {
      case TypeKind::TensorType:
        if (argument.kind == Kind::None) return at::Tensor();
        if (isNumber) return wrappedNumber(number(argument).toScalar());
        break;
      case TypeKind::NumberType:
        if (isNumber) return number(argument);
        break;
      case TypeKind::FloatType:
      case TypeKind::SymFloatType:
        if (argument.kind == Kind::Int) return static_cast<double>(argument.integer);
        if (argument.kind == Kind::Float) return argument.real;
        break;
      case TypeKind::ComplexType:
        if (isNumber) return number(argument).toScalar().toComplexDouble();
        break;
      case TypeKind::BoolType:
      case TypeKind::SymBoolType:
        if (argument.kind == Kind::Bool || argument.kind == Kind::Int)
          return argument.integer != 0 && !(baked_ == Baked::InFloat64 && formal_.name() == "half_to_float");
        break;
      case TypeKind::StringType:
        if (argument.kind == Kind::String) return argument.text;
        break;
      case TypeKind::GeneratorType:
        if (argument.kind == Kind::None) return IValue();
        break;
      case TypeKind::ScalarTypeType:
      case TypeKind::LayoutType:
      case TypeKind::MemoryFormatType:
      case TypeKind::IntType:
      case TypeKind::SymIntType:
        if (argument.kind == Kind::Int || argument.kind == Kind::Bool) return argument.integer;
        if (isEnum) return enumeration(argument);
        break;
      default: break;
    }
    refuse(argument, type);
  }

  static IValue number(const Argument& argument) {
    switch (argument.kind) {
      case Kind::Float: return argument.real;
      case Kind::Complex: return c10::complex<double>(argument.real, argument.imaginary);
      case Kind::Bool: return argument.integer != 0;
      default: return argument.integer;
    }
  }

  IValue enumeration(const Argument& argument) const {
    if (argument.kind == Kind::MemoryFormat) return static_cast<int64_t>(memoryFormat(argument.integer));
    if (argument.kind == Kind::Layout) {
      constexpr int64_t strided = 7;
      if (argument.integer != strided) ir::fail(ir::ErrorKind::Unsupported, "{} asks for another layout than strided", label_);
      return static_cast<int64_t>(at::kStrided);
    }
    const at::ScalarType type = exportedType(static_cast<int>(argument.integer));
    return static_cast<int64_t>(baked_ == Baked::InFloat64 ? raised(type) : type);
  }

  [[noreturn]] void refuse(const Argument& argument, const c10::Type& type) const {
    constexpr std::string_view kinds[] = {"None",     "a value",         "an integer",       "a number",
                                          "a bool",   "a string",        "a complex number", "a dtype",
                                          "a layout", "a memory format", "a device",         "a list"};
    ir::fail(ir::ErrorKind::Input, "{}: argument '{}' must be {}, got {}", label_, formal_.name(), type.repr_str(),
             kinds[static_cast<size_t>(argument.kind)]);
  }

  const ExportedProgram& program_;
  const std::string& label_;
  const c10::Argument& formal_;
  Baked baked_;
};

/// What the schema gives an argument that the node leaves out.
Operand defaultOf(const std::string& label, const c10::Argument& formal, bool isFactory) {
  Operand operand;
  if (formal.name() == "device" && isFactory) {
    operand.kind = Operand::Kind::Device;
  } else if (formal.default_value()) {
    operand.constant = *formal.default_value();
  } else if (formal.type()->kind() != TypeKind::OptionalType && formal.type()->kind() != TypeKind::GeneratorType) {
    ir::fail(ir::ErrorKind::Input, "{}: argument '{}' is missing", label, formal.name());
  }
  return operand;
}

void bindCall(const ExportedProgram& program, const ExportedProgram::Node& node, const std::string& name, Baked baked,
              Instruction& bound) {
  try {
    bound.op = findOperator(name);
  } catch (const ir::Error& error) {
    ir::fail(ir::ErrorKind::Unsupported, "{} cannot run: {}", bound.label, error.what());
  }
  const c10::FunctionSchema& schema = bound.op->schema();
  const bool isFactory = !takesTensors(program, node);
  std::vector<const Argument*> given(schema.arguments().size());
  for (const ExportedProgram::NamedArgument& argument : node.arguments) {
    const auto index = schema.argumentIndexWithName(argument.name);
    if (!index || given[static_cast<size_t>(*index)] != nullptr)
      ir::fail(ir::ErrorKind::Input, "{} has {} argument {}", bound.label, index ? "twice the" : "no",
               inputs::shown(argument.name));
    given[static_cast<size_t>(*index)] = &argument.value;
  }
  for (size_t i = 0; i < given.size(); ++i) {
    const c10::Argument& formal = schema.arguments()[i];
    // Memory that is pinned is the host's: the program runs on the device all the same.
    const bool isGiven =
        given[i] != nullptr && formal.name() != "pin_memory" && !(formal.name() == "device" && given[i]->kind == Kind::None);
    bound.operands.push_back(isGiven ? NodeBinder(program, bound.label, formal, baked)(*given[i])
                                     : defaultOf(bound.label, formal, isFactory));
  }
  if (node.outputs.size() > schema.returns().size())
    ir::fail(ir::ErrorKind::Input, "{} has {} results, {} in its schema", bound.label, node.outputs.size(),
             schema.returns().size());
  const bool hasOneResult = node.outputs.size() == 1;  // several are a tuple of the form
  if (const Float64Form form = float64FormOf(name); form != nullptr && hasOneResult && baked == Baked::InFloat64) {
    bound.kind = Instruction::Kind::Arithmetic;
    bound.function = form;
  }
  // A kernel of another device or dtype may give a tensor other strides than the export saw. A view of these may be impossible;
  // a reshape then copies.
  if (name == "aten.view.default") bound.op = findOperator("aten.reshape.default");
}

/// Arguments by position: numbers as they are, and a tensor first where a size is asked for.
void bindFunction(const ExportedProgram& program, const ExportedProgram::Node& node, const SizeFunction& function,
                  Instruction& bound) {
  bound.function = function.function;
  if (node.arguments.size() != function.arguments || node.outputs.size() > 1)
    ir::fail(ir::ErrorKind::Input, "{} has {} arguments and {} results", bound.label, node.arguments.size(), node.outputs.size());
  for (size_t i = 0; i < node.arguments.size(); ++i) {
    const Argument& value = node.arguments[i].value;
    const bool isTensor = bound.kind == Instruction::Kind::Size && i == 0;
    Operand operand;
    if (value.kind == Kind::Value && hasTensor(program, value) == isTensor) {
      operand.kind = Operand::Kind::Value;
      operand.value = static_cast<int>(value.integer);
    } else if (value.kind == Kind::Int && !isTensor) {
      operand.constant = value.integer;
    } else if (value.kind == Kind::Bool && !isTensor) {
      operand.constant = value.integer != 0;
    } else if (value.kind == Kind::Float && !isTensor) {
      operand.constant = value.real;
    } else {
      ir::fail(ir::ErrorKind::Input, "{}: argument {} must be a {}", bound.label, i, isTensor ? "tensor" : "number");
    }
    bound.operands.push_back(std::move(operand));
  }
}

std::string ownerOf(const ExportedProgram::Node& node) {
  if (!node.module.empty()) return inputs::printable(node.module);
  const std::string op = node.op();
  return fmt::format("{} {}", inputs::printable(op.empty() ? node.target : op), inputs::printable(node.name));
}

}  // namespace

std::string labelOf(const ExportedProgram::Node& node) {
  const std::string op = node.op();
  return fmt::format("node {} ({}){}", inputs::printable(node.name), inputs::printable(op.empty() ? node.target : op),
                     node.module.empty() ? "" : " of " + inputs::printable(node.module));
}

bool isBaked(const ExportedProgram& program, const ExportedProgram::Node& node) {
  if (asserts(node.op())) return false;
  for (const ExportedProgram::NamedArgument& argument : node.arguments)
    if (isFloating(argument.value)) return true;
  if (takesTensors(program, node)) return false;
  return std::any_of(node.outputs.begin(), node.outputs.end(), [&](const Argument& output) {
    if (output.kind != Kind::Value) return false;
    const auto& meta = program.values[static_cast<size_t>(output.integer)].meta;
    return meta && at::isFloatingType(exportedType(meta->dtype));
  });
}

std::optional<Instruction> bindNode(const ExportedProgram& program, const ExportedProgram::Node& node, Baked baked) {
  const std::string op = node.op();
  if (asserts(op)) return std::nullopt;
  Instruction bound;
  bound.label = labelOf(node);
  bound.owner = ownerOf(node);
  bound.module = node.module;
  bound.outputs = node.outputs;
  bound.block = node.block;
  if (const auto function = op.empty() ? arithmeticOf(node.target) : sizeOf(op)) {
    bound.kind = op.empty() ? Instruction::Kind::Arithmetic : Instruction::Kind::Size;
    bindFunction(program, node, *function, bound);
    return bound;
  }
  if (op.empty()) ir::fail(ir::ErrorKind::Unsupported, "{} cannot run: it is no operator of ATen", bound.label);
  bindCall(program, node, op, baked, bound);
  return bound;
}

}  // namespace runtime
