#pragma once

#include <ATen/core/function_schema.h>

#include <string>
#include <vector>

#include "inputs/sample.h"
#include "tests/random/dice.h"

namespace hostile {

using tests::Dice;

/// An operator of the dispatcher, of any namespace.
struct Operator {
  std::string name;  ///< `aten.add.Tensor`
  const c10::FunctionSchema* schema;
};

/// Every operator there is, by name.
std::vector<Operator> allOperators();

/// Draws calls whose arguments are of the types that a schema declares, and now and then of any other. The tensors of a call
/// mostly have one shape and dtype, so that ATen takes many of them.
class CallDice {
 public:
  /// `strings` are what an argument that is a string may be, beside the words that operators know.
  CallDice(Dice& dice, const std::vector<std::string>& strings) : dice_(dice), strings_(strings) {}

  inputs::Sample call(const Operator& op);

 private:
  ir::Argument argument(const c10::Type& type, const c10::Argument& formal);
  ir::Argument list(const c10::Type& element, const c10::Argument& formal);
  ir::Argument anything();
  ir::Argument tensor();
  ir::Argument number();
  int64_t integer();
  double real();
  std::string string();
  ir::DType dtype();
  ir::Shape shape();

  Dice& dice_;
  const std::vector<std::string>& strings_;
  ir::Shape usualShape_;
  ir::DType usualType_ = ir::DType::F32;
};

}  // namespace hostile
