#pragma once

#include "ir/graph.h"

namespace lowering {

/// A graph in which calls of lists of tensors (`aten._foreach_mul_.Scalar`) are calls of each of them (`aten.mul_.Scalar`), where
/// these have a lowering.
ir::Graph withoutLists(const ir::Graph& graph);

}  // namespace lowering
