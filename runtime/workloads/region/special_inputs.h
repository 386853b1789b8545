#pragma once

#include "ir/graph.h"

namespace runtime {

/// Whether an input of a region may hold NaN, infinities and the like: neither it nor what calls make of it is taken by a call
/// whose own data have none there (inputs::ValueRange), as a norm's weight has none.
bool mayBeSpecial(const ir::Graph& graph, int input);

}  // namespace runtime
