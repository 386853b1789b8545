#pragma once

#include <cstdint>
#include <vector>

#include "codegen/plan.h"

namespace codegen {

/// The values that a step reads, and the values that it writes.
struct Access {
  std::vector<int> reads, writes;
};

/// A plan's graph with its intermediates among its values.
ir::Graph withIntermediates(const Plan& plan);

/// What a step of a plan does; `graph` is the plan's, with or without its intermediates.
Access accessOf(const Step& step, const Plan& plan, const ir::Graph& graph);

/// How many memories a graph has. A memory is what values lie in: a storage, or what a value has to itself.
size_t memoriesOf(const ir::Graph& graph);
/// The number of the memory that a value lies in, from 0.
int memoryOf(const ir::Graph& graph, int value);
/// The bytes behind the start of its memory where a value's first element lies, and the bytes from there to its end.
int64_t startOf(const ir::GraphValue& value);
int64_t bytesOf(const ir::GraphValue& value);
/// Whether a value is all of the memory that it lies in.
bool covers(const ir::Graph& graph, int value);

}  // namespace codegen
