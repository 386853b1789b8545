#pragma once

#include <ATen/core/ivalue.h>

#include <string>
#include <vector>

namespace runtime {

/// The result of an operator from its arguments in double precision, by position: a tensor, or a tuple of its defined tensors.
using Float64Form = c10::IValue (*)(const std::vector<c10::IValue>& arguments);

/// The form of an operator that ATen has no kernel in float64 for, or a wrong one, made of calls that it has one for; nullptr for
/// all others. Error: Unsupported for arguments that the form does not take.
Float64Form float64FormOf(const std::string& op);

}  // namespace runtime
