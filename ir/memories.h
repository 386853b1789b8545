#pragma once

#include <cstddef>
#include <cstdint>

#include "ir/graph.h"

namespace ir {

/// How many memories a graph has. A memory is what values lie in: a storage, or what a value has to itself.
size_t memoriesOf(const Graph& graph);
/// The number of the memory that a value lies in, from 0.
int memoryOf(const Graph& graph, int value);
/// The bytes behind the start of its memory where a value's first element lies, and the bytes from there to its end.
int64_t startOf(const GraphValue& value);
int64_t bytesOf(const GraphValue& value);
/// Whether a value is all of the memory that it lies in.
bool covers(const Graph& graph, int value);

}  // namespace ir
