#pragma once

#include <functional>

#include "ir/graph.h"

namespace lowering {

/// Computes again in the backward pass what the forward pass would have to store for it: what generated calls read there and
/// generated calls make, element by element, of values that are stored anyway, or that are fewer bytes. The four tensors that a
/// GELU written out as sums and products keeps for its gradient become the one that it is of. `isGenerated` says which calls are.
ir::Graph withRecomputation(const ir::Graph& graph, const std::function<bool(const ir::Node&)>& isGenerated);

}  // namespace lowering
