#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "ir/graph.h"
#include "runtime/callable.h"

namespace runtime {

/// A tensor that a run hands back or needs in between: an operand, or memory that each run allocates.
struct RunTensor {
  int value = 0;   ///< of the graph
  int input = -1;  ///< its place among the operands, where it is one
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;
  at::ScalarType dtype = at::kFloat;
};

RunTensor runTensor(const ir::Graph& graph, int value);
/// The operand that it is, or new memory.
at::Tensor allocate(const RunTensor& tensor, const std::vector<at::Tensor>& operands, at::Device device, Guards guards);

}  // namespace runtime
