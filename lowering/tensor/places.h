#pragma once

#include <optional>
#include <vector>

#include "lowering/tensor/context.h"

namespace lowering {

/// A place along a dimension, and whether there is an element: always where nothing is said.
struct Place {
  Value at;
  std::optional<Value> exists = {};
};
using Places = std::vector<Place>;

/// An element at such places.
struct Element {
  Index index;
  std::optional<Value> exists = {};
};

/// The elements at an index that goes on with every combination of places along the next dimensions, the last of them first
/// through its places.
std::vector<Element> elementsAt(const Index& index, const std::vector<Places>& next);

/// An element of a tensor, `other` where it does not exist.
Value read(const Tensor& tensor, const Element& element, Value other);
/// The sum of elements of a tensor, of its dtype.
Value sumOf(const Tensor& tensor, const std::vector<Element>& elements);

/// The place that an index from memory names along a dimension of so many elements, and whether there is one from `least` on.
/// Whatever is in memory, no other element is read or written.
Place placeOf(Value index, int64_t extent, int64_t least = 0);
/// A place that counts from the end where it is negative.
Place fromEnd(const Place& place, int64_t extent);

/// Zeros of a type; of that of a call's first output; these with values added to their elements.
Tensor zeros(ir::ExprPool& pool, const ir::TensorType& type);
Tensor zeros(const Context& c);
Tensor accumulated(const Context& c, Scatter scatter);

/// The first dimensions of an index, all but so many.
Index leading(const Index& index, std::size_t without);

}  // namespace lowering
