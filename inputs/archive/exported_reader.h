#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "inputs/archive/exported.h"
#include "inputs/archive/json.h"

namespace inputs {

/// Reads the parts of a program, in the order of the functions. Errors: as readExported().
class ExportedReader {
 public:
  void readRanges(JsonView ranges);
  void readMeta(JsonView tensors);
  /// What goes into the graph: its own tensors, and what the caller gives.
  void readInputs(JsonView specs);
  /// The configuration of the weights or of the constants: record, dtype, sizes and strides by the tensor's name.
  void readTensors(const Archive& archive, const std::string& folder, JsonView config);
  /// Makes tensors of one record one, and checks that all were described.
  void shareState();
  void readNode(JsonView node);
  void readOutputs(JsonView specs);
  ExportedProgram take() { return std::move(program_); }

 private:
  using Argument = ExportedProgram::Argument;
  using Kind = Argument::Kind;

  ExportedProgram::Extent readExtent(JsonView extent);
  ExportedProgram::TensorMeta readTensorMeta(JsonView meta);
  int symbol(const std::string& name);
  int define(const std::string& name, ExportedProgram::ValueKind kind, JsonView at);
  int used(JsonView name, ExportedProgram::ValueKind kind) const;

  void readState(const std::string& kind, JsonView spec);
  void readInput(JsonView argument);

  Argument readArgument(JsonView argument);
  Argument readList(const std::string& kind, JsonView list);
  Argument readScalar(const std::string& kind, JsonView value);
  Argument readSymbolic(JsonView value, ExportedProgram::ValueKind kind);
  Argument readOutput(JsonView output);

  /// Whether an operator of higher order makes the calls of a subgraph in a setting, and nothing else.
  static bool isWrapper(std::string_view op);
  /// The calls of its subgraph, whose values are known in there alone.
  void readWrapper(std::string_view op, JsonView node);

  ExportedProgram program_;
  std::map<std::string, int> valueOf_;   ///< by name
  std::map<std::string, int> symbolOf_;  ///< by name
  std::map<std::string, ExportedProgram::TensorMeta> meta_;
  std::map<std::string, int> stateOf_;  ///< by the tensor's name
  int block_ = 0;                       ///< of the nodes that are read
};

}  // namespace inputs
