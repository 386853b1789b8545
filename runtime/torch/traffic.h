#pragma once

#include <cstdint>

#include "ir/graph.h"

namespace runtime {

/// Bytes that have to be moved at the least.
struct Traffic {
  int64_t read = 0;
  int64_t written = 0;
};

/// Those of a graph's nodes: distinct bytes of what they read and of what they write, an argument written in place counting
/// for both unless the operator only overwrites it; arguments of which only sizes or some elements matter count for as much.
Traffic trafficOf(const ir::Graph& graph);

}  // namespace runtime
