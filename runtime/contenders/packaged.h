#pragma once

#include <string>

#include "runtime/callable.h"
#include "runtime/workload.h"

namespace runtime {

/// A workload whose graph AOTInductor has compiled into a package, a file that is read now and not needed any more. Its stages
/// run one after another: a package says which of the graph's inputs (the workload's operands, then these constants) and of the
/// results of earlier stages each is given, and which of them the graph's outputs are. Errors: Unsupported where torch refuses
/// the package.
CallablePtr packagedCallable(Workload& workload, const TensorList& constants, const std::string& device, const std::string& file);

}  // namespace runtime
