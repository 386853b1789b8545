#pragma once

#include "opbench/results/row.h"
#include "opbench/run/pipeline.h"
#include "opbench/run/sample_context.h"
#include "runtime/workload.h"

namespace opbench {

/// The criterion of a sample, as it is run: of a network it depends on the device and the precision.
Criterion criterionOf(runtime::Workload& workload, const inputs::Sample& sample, const Bench& bench);

/// Counts the products of a network whose baseline is a contender, by an untimed run of it, and asks how fast the device is at
/// such where it is timed. What fails here fails where contenders run, and is told there.
void countProducts(runtime::Workload& workload, Row& row, const Bench& bench);

/// Runs a network's baseline once more, and notes which of its parts hold memory. What fails is told as above.
void traceMemory(runtime::Workload& workload, Row& row, const Bench& bench);

/// A network's run as one graph. Error: Unsupported where it has none.
runtime::Capture captured(runtime::Workload& workload);
/// The plan of a network's step, which is captured and compiled when first asked for. Error: Unsupported for what graphs and
/// plans do not hold.
NetworkPlan& planOf(const SampleContext& context);
/// Checks each group of a network's plan by itself. Says which is the first that is wrong, and writes it to the dump as a region;
/// empty where all are right.
std::string whichGroupIsWrong(const inputs::Sample& sample, const SampleContext& context);
/// The contender `opbench` of a network: its plan.
runtime::CallablePtr plannedNetwork(const SampleContext& context);

}  // namespace opbench
