#pragma once

#include "lowering/tensor/lowering.h"
#include "lowering/tensor/places.h"

namespace lowering {

/// The elements that a call's `indices` name: a tensor for each of the first dimensions, or None. Dimensions with index tensors
/// are indexed together, by tensors that are broadcast against each other. Their dimensions come where the first of them was if
/// they are neighbours, and else first.
class Indices {
 public:
  /// Error: Unsupported for tensors of bools, whose values decide how many elements they name.
  Indices(const Context& c, const ir::Shape& sizes);

  /// As many elements as they name.
  const ir::Shape& named() const { return named_; }
  /// The element of the indexed tensor for an index of these sizes: one that is there, and whether it is the one that is named.
  Element elementAt(const Index& index) const;

 private:
  ir::Shape sizes_, common_, named_;
  std::vector<std::optional<Tensor>> places_;
  std::ptrdiff_t first_ = 0;
};

}  // namespace lowering
