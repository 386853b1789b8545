#pragma once

#include <cstdint>

#include "ir/graph.h"

namespace runtime {

/// Bytes that have to be moved at the least.
struct Traffic {
  int64_t read = 0;
  int64_t written = 0;
};

/// Those of a call: distinct bytes of what it reads and of what it writes, an argument written in place counting for both unless
/// the operator only overwrites it; arguments of which only sizes or some elements matter count for as much. Of several calls
/// only what they read of the graph's inputs counts, and what they write of its outputs.
Traffic trafficOf(const ir::Graph& graph);

}  // namespace runtime
