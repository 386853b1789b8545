#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "ir/graph.h"
#include "runtime/torch/float64_forms.h"
#include "runtime/torch/schema.h"

namespace runtime {

/// A graph's call with all arguments bound but the tensors, so that nothing is looked up by name when it is made.
class BoundCall {
 public:
  enum class Precision { AsIs, Float64 };
  /// The tensor of a value.
  using TensorOf = std::function<const at::Tensor&(int value)>;

  /// A call that names a device gets the device of its node, or this one. In Float64 it is asked for double precision where it is
  /// asked for another. Errors: findOperator's and bindArguments'; Input for a node that does not say what its operator writes.
  explicit BoundCall(const ir::Node& node, std::optional<at::Device> device = {}, Precision precision = Precision::AsIs);

  /// Has a call that counts elements from the beginning of its first argument's storage count them from where the graph's memory
  /// begins, behind which that argument lies so many elements.
  void countFromGraphMemory(int64_t elements);

  /// Makes the call and returns its tensors, as many as its node has outputs. Numbers that it brings to the host are appended.
  /// Errors: ATen's; Input where it gives another number of tensors.
  std::vector<at::Tensor> operator()(const TensorOf& tensorOf, std::vector<ir::Argument>& hostReads) const;

  const std::vector<int>& outputs() const { return outputs_; }
  bool isRandom() const { return effects_.isRandom; }
  /// Whether it brings numbers to the host.
  bool readsHost() const { return readsHost_; }

 private:
  /// A tensor among the arguments: its place, that in a list or -1, and the value that it is.
  struct Slot {
    size_t argument = 0;
    int item = -1;
    int value = 0;
  };

  c10::OperatorHandle op_;
  Float64Form form_ = nullptr;  ///< that takes the operator's place
  torch::jit::Stack arguments_;
  std::vector<Slot> slots_;
  std::vector<int> outputs_;
  std::optional<size_t> counted_;  ///< an argument that says where the storage of the first one is read, counted from the graph's
  Effects effects_;
  bool readsHost_ = false;
};

/// Has calls made as a graph's calls while it lives: below autograd and autocast, which are calls of the graph themselves.
class GraphCalls {
 public:
  GraphCalls();
  ~GraphCalls();
  GraphCalls(const GraphCalls&) = delete;
  GraphCalls& operator=(const GraphCalls&) = delete;

 private:
  struct Modes;
  std::unique_ptr<Modes> modes_;
};

/// Whether calls of this phase are told that gradients are wanted, in a graph that has a backward pass or not: oneDNN's recurrent
/// networks then keep what the backward pass reads.
bool wantsGradients(const ir::Graph& graph, ir::Phase phase);

}  // namespace runtime
