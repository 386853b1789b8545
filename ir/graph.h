#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/argument.h"

namespace ir {

/// What an input of a captured network is to it.
enum class Role : uint8_t {
  Input,      ///< of the network, or an argument of a call
  Parameter,  ///< a weight, which training changes
  Buffer,     ///< what the network keeps beside these: statistics of a batch norm
  State,      ///< an optimizer's
  Constant,   ///< a tensor that is the same in every run
};
/// The role's word in text: `in`, `parameter`.
std::string_view name(Role role);
std::optional<Role> roleFromName(std::string_view name);

/// A tensor of a graph: a place in memory, whatever is written there over time.
struct GraphValue {
  std::string name;  ///< `self`, `other`: the schema's name, or `out0`; unique in the graph
  TensorType type;
  int storage = -1;         ///< of Graph::storages; -1 where no other value shares its memory
  int64_t offset = 0;       ///< of its first element in the storage, in elements of its type
  Role role = Role::Input;  ///< of an input
  bool onHost = false;      ///< whether it lies in the host's memory, though the graph is a GPU's
  bool operator==(const GraphValue&) const = default;
};

/// Memory that several values lie in.
struct Storage {
  std::string name;  ///< of the value that covers it, where one does from its first byte to its last
  int64_t bytes = 0;
  bool operator==(const Storage&) const = default;
};

/// A part of a step of training.
enum class Phase : uint8_t { Forward, Backward, Optimizer };

/// Where in a network a call stands.
struct Scope {
  Phase phase = Phase::Forward;
  int forward = -1;    ///< of a call in the backward pass: the node whose gradient it computes; -1 where that is not known
  std::string module;  ///< `encoder.layer.0`; empty where it is not known
  bool operator==(const Scope&) const = default;
};

/// One ATen call: arguments by schema name with defaults filled in, tensors as ValueRef.
struct Node {
  std::string op;  ///< `aten.add.Tensor`
  std::vector<NamedArgument> args;
  std::vector<int> outputs;  ///< values it makes, in schema order; one that is there already where it hands that back
  std::vector<int> writes;   ///< input values it writes in place; `outputs[i]` is then one of them where it is returned
  Scope scope = {};
  const Argument* find(const std::string& name) const;
  /// The argument of a name as a T; null where there is none, or where it is no T.
  template <typename T>
  const T* find(const std::string& name) const {
    const Argument* argument = find(name);
    return argument == nullptr ? nullptr : argument->as<T>();
  }
  bool operator==(const Node&) const = default;
};

/// ATen calls with static types, in order. Calls write memory as they go: a value that lies where an earlier one does (a view)
/// reads what was written there last.
struct Graph {
  std::vector<GraphValue> values;
  std::vector<int> inputs;  ///< values given from outside, in argument order
  std::vector<Node> nodes;
  std::vector<int>
      outputs;  ///< values handed back, inputs that are written in place among them: of others nobody looks at what was written
  /// What random numbers are drawn from, no argument: the seed and the number of the draw, which differs from run to run.
  std::optional<int> generator = {};
  std::vector<Storage> storages = {};  ///< in the order of the values that first share them
  bool operator==(const Graph&) const = default;
};

/// The same graph with values and storages in the order in which its text has them: inputs, the generator, and what nodes make.
/// It is equal to the one that its text is read back to. Values that nothing makes are left out, as is a storage that one value
/// has to itself.
Graph numbered(Graph graph);

}  // namespace ir
