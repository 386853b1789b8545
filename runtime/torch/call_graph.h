#pragma once

#include <ATen/core/function_schema.h>
#include <ATen/core/ivalue.h>

#include <functional>
#include <string>
#include <vector>

#include "ir/argument.h"
#include "runtime/torch/tensor_list.h"

namespace runtime {

/// What stands for a tensor among a call's arguments; `name` is its argument's, with its place where that is a list.
using TensorArgument = std::function<ir::Argument(const std::string& name, const at::Tensor& tensor)>;

/// An argument of a call as graphs hold it. Error: Unsupported for what they do not hold, streams and the like.
ir::Argument graphArgument(const std::string& op, const c10::Argument& formal, const c10::IValue& value,
                           const TensorArgument& tensor);

/// The operands that are values of their workload's graph, in order: numbers that stand for tensors are constants in it.
std::vector<at::Tensor> graphInputs(const TensorList& operands);

/// The number that a tensor of one element is.
ir::Argument numberIn(const at::Tensor& tensor);
/// A number, bool or complex number of ATen's.
ir::Argument numberIn(const at::Scalar& scalar);

}  // namespace runtime
