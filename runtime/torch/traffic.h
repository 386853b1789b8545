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

/// The traffic of a graph. Of a call it is the distinct bytes that it reads and the distinct bytes that it writes. An argument
/// written in place counts for both unless the operator only overwrites it; arguments of which only sizes or some elements matter
/// count for as much. Of several calls only reads of the graph's inputs and writes of its outputs count. Of a call of which a
/// view of a part alone is read, the part's share counts.
Traffic trafficOf(const ir::Graph& graph);

/// Floating-point operations that a graph's calls need at the least, whatever computes them: of each one for every element of the
/// largest floating tensor that it reads or writes, as far as it has to read it and somebody reads what it makes. None for views,
/// and for calls that only move or convert elements. Products of matrices need more, which counts by precision (runtime/flops):
/// units of their own multiply.
double operationsOf(const ir::Graph& graph, const std::function<bool(const ir::Node&)>& onlyMoves);

}  // namespace runtime
