#pragma once

#include <optional>

#include "inputs/sample.h"
#include "ir/graph.h"
#include "ir/target.h"

namespace runtime {

/// The graph of a call (Workload::graph) as it will most likely have it on such a device, found without one: by ATen's rules for
/// the types of results, or, for operators that have none, by running small calls on the host. Nothing where neither can tell.
/// Kernels may be compiled from it ahead of the call; what counts is still what eager gives on the device.
std::optional<ir::Graph> inferGraph(const inputs::Sample& sample, ir::Backend backend);

/// The call's graph by ATen's rules alone, which take no time and no memory: what eager has to return, before it runs. Nothing
/// where there are none.
std::optional<ir::Graph> graphByRule(const inputs::Sample& sample);

/// Whether the call is a view (Workload::isView), by the same rules: ATen has them for all views, as these need no kernels.
bool isViewByRule(const inputs::Sample& sample);

}  // namespace runtime
