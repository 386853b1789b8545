#pragma once

#include <functional>

#include "ir/graph.h"

namespace lowering {

/// Joins small products of halves that have the same left operand, such as the queries, keys and values of attention: each alone
/// leaves multiprocessors without work. The weights are laid side by side, once a run, and the results are columns of the joined
/// product's. Results that other calls than products, attention and generated ones see are left alone.
ir::Graph withJoinedProducts(const ir::Graph& graph, const std::function<bool(const ir::Node&)>& isGenerated);

}  // namespace lowering
