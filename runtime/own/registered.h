#pragma once

#include <string>

#include "runtime/callable.h"

namespace runtime {

/// Whether torch's dispatcher has an operator of the name `my::softmax`, or `my::softmax.out` with its overload.
bool isRegistered(const std::string& name);

/// A call made by another operator than ATen's: its arguments are those of the call that have the same names, or else the same
/// places, and its results are compared with the call's. An operator that returns nothing has the arguments that the call writes
/// as its results. Errors: Input where there is no such operator; Unsupported where it does not take the call's arguments.
CallablePtr registeredCallable(Call& call, const std::string& name);

}  // namespace runtime
