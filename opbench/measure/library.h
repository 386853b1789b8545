#pragma once

#include "opbench/measure/fastest.h"
#include "runtime/workloads/call.h"

namespace opbench {

/// Tries ATen's own call against every candidate (runtime/library) that applies, each of which gives the results of the call's
/// graph. Nothing where none applies.
std::optional<LibraryTrial> tryLibraries(runtime::Call& call, const ir::Graph& graph, const Check& check, const Bench& bench);

/// The call as a candidate of that name computes it; ATen's own call for an empty one.
runtime::CallablePtr libraryCallable(runtime::Call& call, const ir::Graph& graph, const std::string& library);

}  // namespace opbench
