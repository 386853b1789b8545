#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <optional>
#include <string>
#include <vector>

#include "inputs/archive/exported.h"

namespace runtime {

/// The values of a run by number: tensors, integers, doubles and bools.
using Values = std::vector<c10::IValue>;

/// An argument of a call, resolved as far as it can be before a run.
struct Operand {
  enum class Kind { Constant, Value, List, Device };
  /// What a number becomes where it is used.
  enum class Form { AsIs, Float, WrappedNumber };
  Kind kind = Kind::Constant;
  c10::IValue constant;
  int value = -1;  ///< of the run
  Form form = Form::AsIs;
  bool isLastUse = false;    ///< the run is done with the value then
  c10::TypePtr elementType;  ///< of a list
  std::vector<Operand> items;
};

/// One node: a call of ATen, or arithmetic of sizes.
struct Instruction {
  enum class Kind { Call, Size, Arithmetic };
  using Function = c10::IValue (*)(const Values& arguments);
  Kind kind = Kind::Call;
  std::string label;   ///< `node add_1 (aten.add.Tensor) of encoder.layer.0`, for messages
  std::string owner;   ///< as Program::onCall() has it
  std::string module;  ///< `encoder.layer.0`; empty where the archive does not say
  std::optional<c10::OperatorHandle> op;
  Function function = nullptr;  ///< where it is no call
  std::vector<Operand> operands;
  std::vector<inputs::ExportedProgram::Argument> outputs;
  std::vector<int> unused;  ///< values of the outputs that nothing uses
  int block = 0;            ///< of the program's
};

/// How dtypes that are baked into nodes are taken.
enum class Baked { AsExported, InFloat64 };

/// Resolves a node. Nothing for a node that only asserts. Errors: Unsupported where its operator is none that samples may call;
/// Input where its arguments do not fit the operator's schema.
std::optional<Instruction> bindNode(const inputs::ExportedProgram& program, const inputs::ExportedProgram::Node& node,
                                    Baked baked);

/// Whether a node makes floating numbers of a dtype that it names itself, or that is torch's default.
bool isBaked(const inputs::ExportedProgram& program, const inputs::ExportedProgram::Node& node);

/// The node and its module, as messages have it.
std::string labelOf(const inputs::ExportedProgram::Node& node);

/// Runs it on the values, and puts what it makes among them. The stack is memory that calls share.
void execute(const Instruction& instruction, Values& values, at::Device device, torch::jit::Stack& stack);

}  // namespace runtime
