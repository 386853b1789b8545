#include "lowering/tensor/pointwise.h"

#include "ir/error.h"

namespace lowering {
namespace {

using ir::DType;

const ir::Argument& argumentOf(const Context& context, const Operand& operand) {
  return operand.position >= 0 ? context.argument(operand.position) : context.argument(operand.name);
}

/// The dtypes of one rank of operands (tensors with dimensions, 0-dim tensors, numbers), promoted among themselves.
struct Category {
  std::optional<DType> dtype;
  void add(DType other) { dtype = dtype ? ir::promote(*dtype, other) : other; }
};

/// A higher category keeps its dtype unless a lower one is of a higher kind (at::native::combine_categories).
std::optional<DType> combine(std::optional<DType> higher, std::optional<DType> lower) {
  if (!higher || !lower) return higher ? higher : lower;
  if (ir::isFloating(*higher) || ir::isComplex(*higher)) return higher;
  if (*higher == DType::Bool || ir::isFloating(*lower)) return ir::promote(*higher, *lower);
  return higher;
}

DType numberType(const ir::Argument& argument) {
  if (argument.is<bool>()) return DType::Bool;
  if (argument.is<int64_t>()) return DType::I64;
  if (argument.is<double>()) return DType::F32;
  ir::fail(ir::ErrorKind::Unsupported, "only real numbers and tensors are lowered");
}

/// A number argument in the dtype of the computation.
Value number(ir::ExprPool& pool, const ir::Argument& argument, DType dtype) {
  if (const auto* boolean = argument.as<bool>()) return {pool, pool.integer(DType::Bool, *boolean)};
  if (const auto* integer = argument.as<int64_t>()) return {pool, pool.integer(dtype, *integer)};
  return {pool, pool.constant(dtype, *argument.as<double>())};
}

/// Operands at one index: tensors rounded to the promoted dtype, everything in the dtype of the computation.
struct Arguments {
  std::vector<Tensor> tensors;               ///< expanded to the result's sizes; numbers have none
  std::vector<const ir::Argument*> numbers;  ///< null for tensors
  std::vector<bool> isMask;
  DType common, compute;
  bool roundsNumbers = false;  ///< to the promoted dtype, as tensors are: a half is compared with the half that is nearest

  std::vector<Value> at(ir::ExprPool& pool, const Index& index) const {
    std::vector<Value> values;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      if (numbers[i] != nullptr) {
        values.push_back(cast(number(pool, *numbers[i], roundsNumbers ? common : compute), compute));
      } else {
        const Value element = tensors[i].at(index);
        values.push_back(isMask[i] ? cast(element, DType::Bool) : cast(cast(element, common), compute));
      }
    }
    return values;
  }
};

/// The dtype the function yields, learnt by calling it on constants.
DType yieldedType(ir::ExprPool& pool, const Arguments& arguments, const ScalarFunction& function) {
  std::vector<Value> probe;
  for (bool isMask : arguments.isMask) {
    const DType dtype = isMask ? DType::Bool : arguments.compute;
    probe.emplace_back(pool, pool.integer(dtype, 1));
  }
  return function(probe).dtype();
}

}  // namespace

DType promotedType(const Context& context, const std::vector<Operand>& operands) {
  Category dimensioned, zeroDim, numbers;
  for (const Operand& operand : operands) {
    if (operand.isMask) continue;
    const ir::Argument& argument = argumentOf(context, operand);
    if (!argument.is<ir::ValueRef>()) {
      numbers.add(numberType(argument));
    } else {
      const Tensor tensor = context.tensorOf(argument);
      (tensor.sizes.empty() ? zeroDim : dimensioned).add(tensor.dtype);
    }
  }
  const auto promoted = combine(combine(dimensioned.dtype, zeroDim.dtype), numbers.dtype);
  ir::require(promoted.has_value(), "a pointwise operator needs an operand");
  return *promoted;
}

Tensors pointwise(Context& context, const std::vector<Operand>& operands, Promotion promotion, const ScalarFunction& function) {
  Arguments arguments;
  arguments.common = promotedType(context, operands);
  if (promotion == Promotion::IntToFloat && !ir::isFloating(arguments.common)) arguments.common = DType::F32;
  arguments.compute = ir::opmath(arguments.common);

  ir::Shape sizes;
  for (const Operand& operand : operands) {
    const ir::Argument& argument = argumentOf(context, operand);
    if (argument.is<ir::ValueRef>()) sizes = broadcast(sizes, context.tensorOf(argument).sizes);
  }
  for (const Operand& operand : operands) {
    const ir::Argument& argument = argumentOf(context, operand);
    const bool isTensor = argument.is<ir::ValueRef>();
    arguments.tensors.push_back(isTensor ? expand(context.tensorOf(argument), sizes) : Tensor{});
    arguments.numbers.push_back(isTensor ? nullptr : &argument);
    arguments.isMask.push_back(operand.isMask);
  }

  ir::ExprPool& pool = context.pool();
  const bool isPredicate = yieldedType(pool, arguments, function) == DType::Bool;
  const DType result = isPredicate ? DType::Bool : arguments.common;
  arguments.roundsNumbers = isPredicate;
  return {lazy(result, sizes, [&pool, arguments, function, result](const Index& index) {
    return cast(function(arguments.at(pool, index)), result);
  })};
}

}  // namespace lowering
