#pragma once

#include "inputs/sample.h"
#include "ir/graph.h"
#include "opbench/results/row.h"
#include "opbench/settings/race.h"
#include "runtime/device.h"

namespace opbench {

/// Bytes that are about to be allocated, at the least: for a sample's arguments, and for the contenders' outputs once a graph has
/// their types; with the float64 copies that results are checked against.
double neededForArguments(const inputs::Sample& sample, const RaceSettings& options);
double neededForOutputs(const ir::Graph& graph, const RaceSettings& options);

/// Refuses what the device has no room for, before it is allocated. Small things are not asked about. Error: OutOfMemory,
/// `estimated 12.3 GiB of 7.9`.
void checkMemory(double bytes, runtime::Device& device);
/// Whether an outcome was so refused: trying once more is of no use.
bool isEstimated(const Outcome& outcome);

}  // namespace opbench
