#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "inputs/data/distribution.h"
#include "inputs/sample.h"
#include "ir/graph.h"
#include "runtime/torch/schema.h"
#include "runtime/torch/tensor_list.h"

namespace runtime {

/// The call of a sample on one device: ATen's operator, its arguments made from a seed, and pristine copies of the
/// arguments that it writes. For files that speak torch. Everything below runs in c10::InferenceMode.
struct AtenCall {
  AtenCall(const inputs::Sample& sample, at::Device device, uint64_t seed, const inputs::Data& data);

  void draw(uint64_t seed, const inputs::Data& data);

  /// Runs the operator once on `arguments`, using `stack` as working space; returns the defined tensors among the results,
  /// then the arguments that were written but not returned.
  std::vector<at::Tensor> run(const torch::jit::Stack& arguments, torch::jit::Stack& stack) const;
  /// Appends the written arguments that the operator does not return.
  void appendUnreturned(const torch::jit::Stack& arguments, std::vector<at::Tensor>& outputs) const;
  /// The tensors of a set, tensors in lists too.
  std::vector<at::Tensor> operands(int number = 0) const;
  /// Whether the operator writes an argument.
  bool isWritten(int argument) const;
  /// A further set of arguments.
  void addSet();
  /// Puts the pristine values back into a set.
  void restore(int set = 0);
  /// Puts ATen's generator to the call's seed, where the operator draws from it.
  void seedGenerator() const;
  /// Whether it computes and writes nothing: all outputs are views of arguments, or memory that is left as it was allocated.
  /// Schemas do not annotate every alias (`_unsafe_view`): the storages of ATen's results tell.
  bool isView();

  /// A set of arguments: 0 is `arguments`, others are its copies.
  const torch::jit::Stack& set(int number) const { return number == 0 ? arguments : copies.at(static_cast<size_t>(number) - 1); }

  inputs::Sample sample;
  std::string op;
  c10::OperatorHandle handle;
  at::Device device;
  uint64_t seed;
  torch::jit::Stack arguments;
  std::vector<torch::jit::Stack> copies;
  Effects effects;

  /// A set's storages that are written, which lie between guards, and what they are restored to.
  std::vector<std::vector<at::Tensor>> written;  ///< by set
  std::vector<at::Tensor> pristine;

 private:
  std::vector<at::Tensor> writtenOf(const torch::jit::Stack& set) const;
  torch::jit::Stack drawn(const inputs::Data& data) const;
  bool findWhetherView() const;
  std::optional<bool> isView_;
};

/// The call as a graph with the types of its arguments and of `outputs`.
ir::Graph graphOf(const AtenCall& call, const TensorList& outputs);

/// Runs the call once on copies of the arguments that it writes: its outputs stay valid when the arguments are restored.
TensorList runOnCopies(const AtenCall& call);
/// runOnCopies() with the random numbers that follow the latest run's.
TensorList runOnCopiesAgain(const AtenCall& call);
/// runOnCopies() on arguments upcast to float64; empty where ATen has no float64 form of it.
TensorList runInFloat64(const AtenCall& call);
/// Whether each tensor that the operator's schema returns is defined in such a run, in the schema's order.
std::vector<bool> definedReturns(const AtenCall& call);
/// Both runs on contiguous copies of the arguments, with results that lie as runOnCopies' do. Empty where all are contiguous,
/// where the operator computes with strides, or draws random numbers.
EagerRuns runOnContiguous(const AtenCall& call);

}  // namespace runtime
