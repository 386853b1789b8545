#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/capture/capture.h"
#include "runtime/capture/identity.h"
#include "runtime/dispatch/interceptor.h"
#include "runtime/torch/schema.h"

namespace runtime {

/// An operand of a run that is captured.
struct GraphOperand {
  std::string name;  ///< `layer1.0.conv1.weight`
  ir::Role role = ir::Role::Input;
  at::Tensor tensor;
};

/// Turns calls into the nodes of a graph, as they happen.
class CallRecorder : public Interceptor {
 public:
  CallRecorder(at::Device device, const std::vector<GraphOperand>& operands, Audit audit);

  /// Adds a call to the graph. Errors: Unsupported for what graphs do not hold, in one line with the operator's name.
  void call(InterceptedCall& call) override;

  /// The scope of the calls that come next.
  void enter(ir::Phase phase) { phase_ = phase; }
  void enterModule(const std::string& module) { module_ = module; }
  /// Ends the last phase. Of the calls that come next, calls that make new memory are part of the graph, such as zeros for a
  /// gradient that none reached; views of results are not.
  void end() { isOver_ = true; }

  /// The recording, numbered as its text has it (ir::numbered). Values that calls made for outputs get the outputs' names.
  Capture finish(const std::vector<at::Tensor>& outputs, const std::vector<std::string>& names);

 private:
  ir::Argument argumentOf(const std::string& op, const at::Tensor& tensor);
  int constant(const at::Tensor& tensor);
  void addArguments(const std::string& op, const c10::FunctionSchema& schema, c10::ArrayRef<c10::IValue> arguments,
                    const Effects& effects, ir::Node& node);
  bool makesMemory(c10::ArrayRef<c10::IValue> results) const;
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
