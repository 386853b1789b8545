#pragma once

#include <string>

#include "inputs/sample.h"
#include "ir/graph.h"

namespace inputs {

/// The most that the graph of a region may have; what the compiler does with it takes time that grows faster.
inline constexpr size_t mostRegionNodes = 256;

/// A region of a network as a sample of the operator `region.NAME`: its arguments are the types of the graph's inputs, its
/// keyword argument `graph` the graph's text.
Sample regionSample(const ir::Graph& region, const std::string& name);

/// The graph of a sample that is a region. Errors: Input, in one line, for a text that is no graph, one that does not fit the
/// sample's arguments, and one that no region is: with roles, scopes, a generator or values on the host, with outputs that no
/// call makes or writes, with storages that no value covers, without calls or with more than mostRegionNodes, and with calls that
/// no sample may make (operator_name.h).
ir::Graph regionOf(const Sample& sample);

/// A region whose values and calls' arguments have another dtype, as convert() does with samples.
Sample convertRegion(const Sample& sample, ir::DType (*convert)(ir::DType dtype, ir::DType target), ir::DType target);

}  // namespace inputs
