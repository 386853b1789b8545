#pragma once

#include <vector>

#include "ir/graph.h"
#include "runtime/callable.h"
#include "runtime/workloads/call.h"

namespace runtime {

/// The candidates that apply to a call, whose results have the types of the graph's. None for calls that write their arguments,
/// and for views.
std::vector<CallablePtr> libraryCallables(Call& call, const ir::Graph& graph);

}  // namespace runtime
