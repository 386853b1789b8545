#pragma once

#include <functional>

#include "ir/graph.h"

namespace lowering {

/// Makes one product of small ones of the same matrix of halves, as of the queries, keys and values of attention, each of which
/// leaves multiprocessors without work. Their weights are laid side by side, once a run, and their results are columns of the
/// joined one, as far as only products, attention and generated calls see them.
ir::Graph withJoinedProducts(const ir::Graph& graph, const std::function<bool(const ir::Node&)>& isGenerated);

}  // namespace lowering
