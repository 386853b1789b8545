#pragma once

#include <string>

#include "ir/graph.h"
#include "runtime/callable.h"
#include "runtime/workload.h"

namespace runtime {

/// A workload whose graph AOTInductor has compiled into a package, a file that is read now and not needed any more. Its code
/// takes the graph's inputs, the workload's operands and then these constants, and returns the outputs that are no inputs.
/// Errors: Unsupported where torch refuses the package.
CallablePtr packagedCallable(Workload& workload, const ir::Graph& graph, const TensorList& constants, const std::string& device,
                             const std::string& file);

}  // namespace runtime
