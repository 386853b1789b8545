#include <ATen/ScalarOps.h>

#include "ir/error.h"
#include "runtime/capture/session.h"
#include "runtime/program/instruction.h"

namespace runtime {
namespace {

using c10::IValue;
using inputs::ExportedProgram;

IValue inForm(Operand::Form form, IValue value) {
  if (form == Operand::Form::AsIs) return value;
  if (form == Operand::Form::Float) return value.isInt() ? IValue(static_cast<double>(value.toInt())) : value;
  return at::native::wrapped_scalar_tensor(value.toScalar());
}

IValue argumentOf(const Operand& operand, Values& values, at::Device device) {
  switch (operand.kind) {
    case Operand::Kind::Constant: return operand.constant;
    case Operand::Kind::Device: return device;
    case Operand::Kind::Value: {
      IValue& value = values[static_cast<size_t>(operand.value)];
      return inForm(operand.form, operand.isLastUse ? std::move(value) : value);
    }
    case Operand::Kind::List: break;
  }
  c10::impl::GenericList list(operand.elementType);
  list.reserve(operand.items.size());
  for (const Operand& item : operand.items) list.push_back(argumentOf(item, values, device));
  return list;
}

void store(const Instruction& instruction, const ExportedProgram::Argument& output, IValue result, Values& values) {
  using Kind = ExportedProgram::Argument::Kind;
  if (output.kind == Kind::Value) {
    values[static_cast<size_t>(output.integer)] = std::move(result);
  } else if (output.kind == Kind::List) {
    const auto items = result.toListRef();
    if (items.size() != output.items.size())
      ir::fail(ir::ErrorKind::Input, "{} made {} tensors, the archive says {}", instruction.label, items.size(),
               output.items.size());
    for (size_t i = 0; i < items.size(); ++i) store(instruction, output.items[i], items[i], values);
  }
}

}  // namespace

void execute(const Instruction& instruction, Values& values, at::Device device, torch::jit::Stack& stack) {
  enterModule(instruction.module);
  stack.clear();
  for (const Operand& operand : instruction.operands) stack.push_back(argumentOf(operand, values, device));
  if (instruction.kind == Instruction::Kind::Call) {
    instruction.op->callBoxed(stack);
  } else {
    stack = {instruction.function(stack)};
  }
  for (size_t i = 0; i < instruction.outputs.size(); ++i) store(instruction, instruction.outputs[i], std::move(stack[i]), values);
  for (int value : instruction.unused) values[static_cast<size_t>(value)] = IValue();
}

}  // namespace runtime
