#pragma once

#include <ATen/core/function_schema.h>
#include <ATen/core/ivalue.h>

#include <functional>
#include <string>

#include "ir/argument.h"

namespace runtime {

/// What stands for a tensor among a call's arguments; `name` is its argument's, with its place where that is a list.
using TensorArgument = std::function<ir::Argument(const std::string& name, const at::Tensor& tensor)>;

/// An argument of a call as graphs hold it. Error: Unsupported for what they do not hold, streams and the like.
ir::Argument graphArgument(const std::string& op, const c10::Argument& formal, const c10::IValue& value,
                           const TensorArgument& tensor);

/// The number that a tensor of one element is.
ir::Argument numberIn(const at::Tensor& tensor);
/// A number, bool or complex number of ATen's.
ir::Argument numberIn(const at::Scalar& scalar);

}  // namespace runtime
