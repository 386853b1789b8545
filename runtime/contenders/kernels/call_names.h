#pragma once

#include <map>
#include <string>

#include "runtime/contenders/kernels/functions.h"

namespace runtime {

/// The names of the graph of a call or a region: a call's arguments as the schema names them (`self`, `dim`, an item of a list as
/// `tensors[0]`), a region's inputs (`x0`, `x1`), and results `out0`, `out1`.
class CallNames : public Names {
 public:
  explicit CallNames(const ir::Graph& graph);

  const ir::TensorType& tensor(const Expression& name) const override;
  ir::Scalar number(const Expression& name) const override;
  /// The graph's value that a name stands for; nothing where it is the name of no tensor.
  std::optional<int> value(const std::string& name) const;
  /// The types of all tensors by name; names of tensors in lists have no brackets: `tensors0`.
  std::map<std::string, ir::DType> dtypes() const;

 private:
  void add(const std::string& name, const ir::Argument& argument);
  [[noreturn]] void refuseName(const Expression& name, std::string_view wanted) const;

  const ir::Graph& graph_;
  std::map<std::string, int> values_;
  std::map<std::string, ir::Scalar> numbers_;
  std::map<std::string, std::string> others_;  ///< what all other arguments are, for messages
};

}  // namespace runtime
