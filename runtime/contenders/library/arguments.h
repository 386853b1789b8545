#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <optional>
#include <string_view>
#include <vector>

namespace runtime::library {

/// The results of a call: one for each output that eager has (undefined outputs are none), in schema order. Outputs missing at
/// the end are left unwritten: workspaces (inputs/operators), which nobody reads.
using Results = std::vector<at::Tensor>;

/// The arguments of one call by schema name.
class Arguments {
 public:
  Arguments(c10::OperatorHandle op, torch::jit::Stack stack) : op_(std::move(op)), stack_(std::move(stack)) {}

  /// The operator, `aten::mm`.
  const std::string& op() const { return op_.schema().name(); }
  bool has(std::string_view name) const;
  /// Whether the call's tensors are on a GPU.
  bool isCuda() const;
  /// A tensor, undefined for None.
  at::Tensor tensor(std::string_view name) const;
  std::vector<int64_t> integers(std::string_view name) const;
  std::vector<bool> flags(std::string_view name) const;
  bool flag(std::string_view name) const;
  double number(std::string_view name) const;
  /// A number that may be None.
  std::optional<double> optionalNumber(std::string_view name) const;
  const c10::IValue& value(std::string_view name) const;

  /// These arguments with another value for one of them.
  Arguments with(std::string_view name, c10::IValue value) const;
  /// The results that ATen computes of them.
  Results call() const;

 private:
  std::optional<size_t> find(std::string_view name) const;
  size_t position(std::string_view name) const;

  c10::OperatorHandle op_;
  torch::jit::Stack stack_;
};

}  // namespace runtime::library
