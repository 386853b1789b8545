#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "ir/graph.h"

namespace lowering {

/// A rewrite of a network's graph for a GPU, that can be left out by its name.
struct Rewrite {
  std::string_view name;  ///< `padded-rows`
  ir::Graph (*apply)(const ir::Graph& graph, const std::function<bool(const ir::Node&)>& isGenerated);
};

/// All of them, in the order in which they are done.
std::span<const Rewrite> rewrites();

/// What is left out by these names as well: kernels for products of one row or one column, and for attention of a few queries
/// (lowering/operators/reduction), which ATen's library then computes, and launches that take lists of tensors
/// (codegen/list_groups.h).
inline constexpr std::string_view rowProducts = "row-products", tensorLists = "tensor-lists";

}  // namespace lowering
