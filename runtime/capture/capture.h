#pragma once

#include <string>
#include <vector>

#include "ir/graph.h"
#include "runtime/torch/tensor_list.h"

namespace runtime {

/// A run of a network as one graph of the calls that ATen carried out: forward, backward and optimizer alike.
struct Capture {
  ir::Graph graph;                      ///< its first inputs are the workload's operands, in order
  TensorList constants;                 ///< the tensors of its other inputs, which were there before the run and are no operands
  TensorList outputs;                   ///< what the run gave, copied where an operand is one
  std::vector<ir::Argument> hostReads;  ///< the numbers that calls without outputs brought to the host, in order
  double seconds = 0;                   ///< that the host took for the run
  std::vector<std::string> undeclared;  ///< of an audit: arguments that a call changed though none says so (Effects)
};

/// Whether a capture compares all arguments of each call before and after it, which takes many times as long.
enum class Audit { No, Yes };

}  // namespace runtime
