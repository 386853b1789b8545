#pragma once

#include <ATen/core/ivalue.h>

#include <string>
#include <vector>

namespace runtime {

/// An operator's results from its arguments in double precision, by position.
using Float64Form = c10::IValue (*)(const std::vector<c10::IValue>& arguments);

/// The form of an operator that ATen has no kernel in float64 for, made of calls that it has one for; nullptr for all others.
/// Error: Unsupported for arguments that the form does not take.
Float64Form float64FormOf(const std::string& op);

}  // namespace runtime
