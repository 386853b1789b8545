#pragma once

#include <functional>
#include <string>
#include <vector>

#include "codegen/compile.h"
#include "opbench/run/pipeline.h"
#include "runtime/torch/call.h"

namespace opbench {

/// Runs a trial and says why its result is wrong; nothing where it is right.
using Check = std::function<std::string(runtime::Trial&)>;

/// Gives every kernel of a generated plan the schedule that is fastest on the call's own data: one that was found before
/// (Bench::tunings), or else the winner of a race between the candidates. Candidates that fail or are wrong do not race.
Tuning tune(codegen::Plan& plan, runtime::Call& call, const Check& check, const Bench& bench);

/// The winner among times of which the first is the default's: the least, unless the default is within noise of it.
size_t fastest(const std::vector<double>& seconds);

}  // namespace opbench
