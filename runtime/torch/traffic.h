#pragma once

#include <cstdint>
#include <functional>

#include "ir/graph.h"

namespace runtime {

/// Bytes that have to be moved at the least.
struct Traffic {
  int64_t read = 0;
  int64_t written = 0;
};

/// Those of a call: distinct bytes of what it reads and of what it writes, an argument written in place counting for both unless
/// the operator only overwrites it; arguments of which only sizes or some elements matter count for as much. Of several calls
/// only what they read of the graph's inputs counts, and what they write of its outputs; of a call of which a view of a part
/// alone is read, the part's share.
Traffic trafficOf(const ir::Graph& graph);

/// Floating-point operations that a graph's calls need at the least, whatever computes them: of each one for every element of the
/// largest floating tensor that it reads or writes, as far as it has to read it and somebody reads what it makes. None for views,
/// and for calls that only move or convert elements. Products of matrices need more, which counts by precision (runtime/flops):
/// units of their own multiply.
double operationsOf(const ir::Graph& graph, const std::function<bool(const ir::Node&)>& onlyMoves);

}  // namespace runtime
