#pragma once

#include "inputs/sample.h"
#include "opbench/measure/bench.h"
#include "opbench/results/row.h"
#include "opbench/run/compilation.h"

namespace opbench {

/// Takes one recorded sample through every stage, from its arguments to its row. Whatever goes wrong with the sample, or
/// with one contender, becomes the status and reason of its outcomes; nothing is thrown but what stops the dump.
Row raceSample(const inputs::Sample& recorded, int index, const Bench& bench);

}  // namespace opbench
