#pragma once

#include <string>

#include "runtime/callable.h"
#include "runtime/workloads/call.h"

namespace runtime {

/// Whether torch's dispatcher has an operator of the name `my::softmax`, or `my::softmax.out` with its overload.
bool isRegistered(const std::string& name);

/// A call or a region computed by an operator of the user's: its arguments are the call's arguments, or the region's inputs, of
/// the same names, or else of the same places, and its results are compared with the workload's. For a call, an operator that
/// returns nothing has the arguments that the call writes as its results; for a region, it may leave out the outputs that are
/// inputs which the region writes. Errors: Input where there is no such operator; Unsupported where it does not take the
/// workload's arguments.
CallablePtr registeredCallable(Workload& workload, const std::string& name);

/// Whether torch's dispatcher has an operator of a namespace, `my`.
bool isNamespace(const std::string& name);
/// A call made by the operator of a namespace that has the name and the overload of the call's: `my::_softmax` for
/// `aten._softmax.default`. Errors: Unsupported where the namespace has none, and where that does not take the call's arguments.
CallablePtr namesakeCallable(Call& call, const std::string& space);

}  // namespace runtime
