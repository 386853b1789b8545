#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "lowering/tensor.h"

namespace lowering {

/// What a lowering sees of one call: its arguments by schema name or position, and the type of its first output.
class Context {
 public:
  Context(const ir::Graph& graph, const ir::Node& node, ir::ExprPool& pool, std::vector<Tensor> values)
      : graph_(graph), node_(node), pool_(pool), values_(std::move(values)) {}

  ir::ExprPool& pool() const { return pool_; }
  int argumentCount() const { return static_cast<int>(node_.args.size()); }
  /// The value of an argument; an Internal error where there is none of that name.
  const ir::Argument& argument(const std::string& name) const;
  const ir::Argument& argument(int position) const;
  const std::string& argumentName(int position) const { return node_.args.at(position).name; }

  bool isNone(const std::string& name) const { return argument(name).is<ir::None>(); }
  Tensor tensor(const std::string& name) const { return tensorOf(argument(name)); }
  Tensor tensorOf(const ir::Argument& argument) const;
  /// A number argument (bool, int or float) as double.
  double number(const std::string& name) const;
  int64_t integer(const std::string& name) const;
  bool flag(const std::string& name) const;
  std::string text(const std::string& name) const;
  /// Type of output 0, or of the argument written in place.
  const ir::TensorType& outputType() const;

 private:
  const ir::Graph& graph_;
  const ir::Node& node_;
  ir::ExprPool& pool_;
  std::vector<Tensor> values_;  ///< by graph value
};

}  // namespace lowering
