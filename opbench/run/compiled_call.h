#pragma once

#include "opbench/run/sample_context.h"

namespace opbench {

/// Makes the contender `opbench` of a call or a region: graph -> loops -> kernels -> programs -> code. What stays a library call
/// is made by the fastest candidate.
runtime::CallablePtr compiledCall(Outcome& outcome, const SampleContext& context);
/// ATen's own call in place of the library that was the fastest, which is wrong, and why, on data that it was not tried on.
runtime::CallablePtr withoutLibrary(Outcome& outcome, const std::string& why, const SampleContext& context);

}  // namespace opbench
