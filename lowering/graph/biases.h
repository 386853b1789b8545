#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "ir/graph.h"

namespace lowering {

/// A call without its bias, which is added to the call's result instead.
struct WithoutBias {
  ir::Node call;
  int bias = 0;
  std::vector<int64_t> sizes;  ///< in which the bias is added, broadcast to the result's
};

/// The graph with biases added by calls of their own, which kernels may join: the biases of calls for which `apart` has another
/// form.
ir::Graph withBiasesApart(const ir::Graph& graph, const std::function<bool(const ir::Node&)>& isGenerated,
                          const std::function<std::optional<WithoutBias>(const ir::Node&)>& apart);

/// The graph with the biases of convolutions apart, where a kernel reads the result, and with their gradients as sums. ATen
/// does both by launches that read the whole image once more.
ir::Graph withConvolutionBiases(const ir::Graph& graph, const std::function<bool(const ir::Node&)>& isGenerated);

}  // namespace lowering
