#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "ir/graph.h"
#include "runtime/capture/bound_graph.h"

namespace runtime {

/// Makes a region's calls once and compares the type of each value, and which share memory, with what the graph says: kernels are
/// compiled from that. Errors: Input where they differ; and BoundGraph::run's.
void checkRegion(const std::string& op, const ir::Graph& graph, const BoundGraph& bound, const std::vector<at::Tensor>& inputs);

}  // namespace runtime
