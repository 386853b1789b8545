#pragma once

#include "codegen/compile.h"
#include "opbench/measure/fastest.h"

namespace opbench {

/// Gives every kernel of a generated plan the schedule that is fastest on the workload's own data: one that was found before
/// (Bench::tunings), or else the winner of a race between the candidates. Candidates that fail or are wrong do not race.
Tuning tune(codegen::Plan& plan, runtime::Workload& workload, const Check& check, const Bench& bench);

}  // namespace opbench
