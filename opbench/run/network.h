#pragma once

#include "opbench/run/pipeline.h"
#include "opbench/run/row.h"
#include "runtime/workload.h"

namespace opbench {

/// The criterion of a sample, as it is run: of a network it depends on the device and the precision.
Criterion criterionOf(const runtime::Workload& workload, const inputs::Sample& sample, const Bench& bench);

/// Counts the products of a network whose baseline is a contender, by an untimed run of it, and asks how fast the device is at
/// such where it is timed. What fails here fails where contenders run, and is told there.
void countProducts(runtime::Workload& workload, Row& row, const Bench& bench);

/// Runs a network's baseline once more, and notes which of its parts hold memory. What fails is told as above.
void traceMemory(runtime::Workload& workload, Row& row, const Bench& bench);

}  // namespace opbench
