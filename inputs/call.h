#pragma once

#include <optional>
#include <string_view>

#include "inputs/sample.h"

namespace inputs {

/// The arguments of a sample as the tables of domains ask for them: by position, with an Unsupported error that names the
/// operator where one is missing or of another kind.
class Call {
 public:
  Call(const Sample& sample, size_t item);

  const std::string& op() const { return sample_.op; }
  /// Whether the operator, without `aten.`, overload and the underscore of its in-place form, is one of the words.
  bool isOneOf(std::string_view words) const;
  /// Which tensor of a list argument is asked about.
  size_t item() const { return item_; }

  bool isTensor(size_t argument) const;
  bool isInteger(size_t argument) const;
  const ir::TensorType& tensor(size_t argument) const;
  /// What the sample says is in the tensor.
  const ir::Argument::Elements& given(size_t argument) const;
  const ir::List& list(size_t argument) const;
  std::vector<int64_t> integers(size_t argument) const;
  int64_t integer(size_t argument) const;
  bool flag(size_t argument, bool otherwise = false) const;
  /// The dtype of a keyword argument; nothing where it was left out.
  std::optional<ir::DType> dtype(std::string_view keyword) const;
  /// A number, or `otherwise` where the argument was left out.
  double number(size_t argument, double otherwise) const;

  /// Extent of dimension `dim`, which counts from the end where it is negative; 1 for a scalar.
  int64_t size(size_t argument, int64_t dim) const;
  /// Extent of tensor `argument` along the dimension that argument `dimArgument` names.
  int64_t sizeAlong(size_t argument, size_t dimArgument) const { return size(argument, integer(dimArgument)); }

 private:
  const ir::Argument* at(size_t argument) const;
  [[noreturn]] void refuse(size_t argument, std::string_view what) const;

  const Sample& sample_;
  size_t item_;
  std::string_view name_;
};

}  // namespace inputs
