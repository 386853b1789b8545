#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/argument.h"

namespace ir {

/// A tensor of a graph.
struct GraphValue {
  std::string name;  ///< `self`, `other`: the schema's name, or `out0`; unique in the graph
  TensorType type;
  bool operator==(const GraphValue&) const = default;
};

/// One ATen call: arguments by schema name with defaults filled in, tensors as ValueRef.
struct Node {
  std::string op;  ///< `aten.add.Tensor`
  std::vector<NamedArgument> args;
  std::vector<int> outputs;  ///< values it makes, in schema order
  std::vector<int> writes;   ///< input values it writes in place; `outputs[i]` is then one of them where it is returned
  const Argument* find(const std::string& name) const;
  bool operator==(const Node&) const = default;
};

/// ATen calls with static types, in order.
struct Graph {
  std::vector<GraphValue> values;
  std::vector<int> inputs;  ///< values given from outside, in argument order
  std::vector<Node> nodes;
  std::vector<int> outputs;  ///< values handed back; an input that is written in place may be one
  /// What random numbers are drawn from, no argument: the seed and the number of the draw, which differs from run to run.
  std::optional<int> generator = {};
  bool operator==(const Graph&) const = default;
};

}  // namespace ir
