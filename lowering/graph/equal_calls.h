#pragma once

#include <functional>

#include "ir/graph.h"

namespace lowering {

/// The graph without generated calls that compute once more what an equal call of the same phase has computed, such as autocast's
/// casts of one activation for each of the products that read it.
ir::Graph withoutEqualCalls(const ir::Graph& graph, const std::function<bool(const ir::Node&)>& isGenerated);

}  // namespace lowering
