#pragma once

#include <optional>

#include "ir/graph.h"

namespace lowering {

/// Multiplications and additions from which a product is worth gaps in its operands, and small products beside it.
inline constexpr double leastOperations = 1e10;

/// A product of matrices that can write its result into given memory: alpha * left x right + beta * bias. Operands are values of
/// a graph.
struct Product {
  int result = 0, left = 0, right = 0;
  int bias = -1;  ///< -1 where it has none
  double alpha = 1, beta = 1;

  /// Multiplications and additions.
  double operations(const ir::Graph& graph) const;
};

/// The product that a call is; nothing for other calls.
std::optional<Product> productOf(const ir::Node& node);

/// Whether a call sums up products of its operands' elements: a product of matrices, or attention. ATen's library computes
/// products of many rows.
bool isContraction(const ir::Node& node);

}  // namespace lowering
