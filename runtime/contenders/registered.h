#pragma once

#include <string>

#include "runtime/callable.h"
#include "runtime/workloads/call.h"

namespace runtime {

/// Whether torch's dispatcher has an operator of the name `my::softmax`, or `my::softmax.out` with its overload.
bool isRegistered(const std::string& name);

/// A call made by another operator than ATen's: its arguments are the call's arguments of the same names, or else of the same
/// places, and its results are compared with the call's. An operator that returns nothing has the arguments that the call writes
/// as its results. Errors: Input where there is no such operator; Unsupported where it does not take the call's arguments.
CallablePtr registeredCallable(Call& call, const std::string& name);

/// Whether torch's dispatcher has an operator of a namespace, `my`.
bool isNamespace(const std::string& name);
/// A call made by the operator of a namespace that has the name and the overload of the call's: `my::_softmax` for
/// `aten._softmax.default`. Errors: Unsupported where the namespace has none, and where that does not take the call's arguments.
CallablePtr namesakeCallable(Call& call, const std::string& space);

}  // namespace runtime
