#pragma once

#include "opbench/run/sample_context.h"

namespace opbench {

/// Makes a contender of a sample ready to be timed, with the fault that the run plants in it. Errors: Unsupported where it cannot
/// be made, Input where the sample has none of that name.
PreparedContender prepare(Outcome& outcome, const SampleContext& context);
/// The same, computed by this callable.
PreparedContender prepare(Outcome& outcome, runtime::CallablePtr callable, const SampleContext& context);

}  // namespace opbench
