#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/capture/capture.h"
#include "runtime/capture/identity.h"
#include "runtime/torch/schema.h"

namespace runtime {

/// An operand of a run that is captured.
struct GraphOperand {
  std::string name;  ///< `layer1.0.conv1.weight`
  ir::Role role = ir::Role::Input;
  at::Tensor tensor;
};

/// Turns calls into the nodes of a graph, as they happen.
class CallRecorder {
 public:
  CallRecorder(at::Device device, const std::vector<GraphOperand>& operands, Audit audit);

  /// Carries out a call whose arguments end the stack, by the kernels of `keys`, and adds it to the graph. Errors: Unsupported
  /// for what graphs do not hold, in one line with the operator's name.
  void call(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack);

  /// The scope of the calls that come next.
  void enter(ir::Phase phase) { phase_ = phase; }
  void enterModule(const std::string& module) { module_ = module; }
  /// Calls that come next are carried out, and are no part of the graph.
  void end() { isOver_ = true; }

  /// What was recorded. The names of outputs become those of the values that calls made for them.
  Capture finish(const std::vector<at::Tensor>& outputs, const std::vector<std::string>& names);

 private:
  ir::Argument argumentOf(const std::string& op, const at::Tensor& tensor);
  int constant(const at::Tensor& tensor);
  void addArguments(const std::string& op, const c10::FunctionSchema& schema, const torch::jit::Stack& arguments,
                    const Effects& effects, ir::Node& node);
  void addResult(const c10::OperatorHandle& op, const c10::IValue& result, ir::Node& node);
  ir::Scope scopeOfNext();

  TensorIdentity identity_;
  ir::Graph graph_;
  std::vector<at::Tensor> constants_;
  std::vector<ir::Argument> hostReads_;
  std::vector<std::string> undeclared_;
  Audit audit_;
  ir::Phase phase_ = ir::Phase::Forward;
  std::string module_;
  bool isOver_ = false;
  uint64_t nextSequence_;                           ///< of the autograd nodes that forward calls make
  std::unordered_map<uint64_t, int> forwardNodes_;  ///< by these numbers
};

}  // namespace runtime
