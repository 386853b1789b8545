#pragma once

#include <cstdint>

#include "ir/graph.h"

namespace runtime {

/// Bytes that the graph's nodes have to move at the least: distinct bytes of what they read and of what they write, an argument
/// written in place counting for both unless the operator only overwrites it; arguments of which only sizes or some elements
/// matter count for as much.
int64_t trafficBytes(const ir::Graph& graph);

}  // namespace runtime
