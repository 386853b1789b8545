#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <optional>
#include <vector>

#include "ir/graph.h"
#include "runtime/capture/bound_call.h"

namespace runtime {

/// A graph's calls with all arguments bound but the tensors, so that nothing is looked up by name when they are made: below
/// autograd and autocast, one after another. Forward calls are told that gradients are wanted where the graph has a backward
/// pass. What they draw comes from ATen's generator.
class BoundGraph {
 public:
  struct Results {
    std::vector<at::Tensor> outputs;
    std::vector<ir::Argument> hostReads;  ///< as Capture::hostReads
  };
  /// Is told the tensor of each value that a call makes.
  using Observer = std::function<void(int value, const at::Tensor& tensor)>;
  using Precision = BoundCall::Precision;

  /// Calls that name a device get the graph's, or this one. In Float64 they are asked for double precision where they are asked
  /// for another. Errors: findOperator's and bindArguments'; Input for a node that does not say what its operator writes.
  explicit BoundGraph(const ir::Graph& graph, std::optional<at::Device> device = {}, Precision precision = Precision::AsIs);

  /// Makes the calls. Outputs that are inputs are these themselves. Errors: ATen's; Input where a call gives another number of
  /// tensors than its node has outputs.
  Results run(std::vector<at::Tensor> inputs, const Observer& observe = {}) const;

  /// Whether a call draws random numbers.
  bool isRandom() const;

 private:
  ir::Graph graph_;
  bool keepsForBackward_ = false;
  std::vector<BoundCall> calls_;
  std::vector<std::vector<int>> lastUsed_;  ///< by call: values that no later one names, nor the graph's outputs
};

}  // namespace runtime
