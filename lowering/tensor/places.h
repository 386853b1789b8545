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

/// The elements at `first`'s index followed by every combination of places along the next dimensions, the last of them first
/// through its places.
std::vector<Element> elementsAt(const Element& first, const std::vector<Places>& next);

/// An element of a tensor, `other` where it does not exist.
Value read(const Tensor& tensor, const Element& element, Value other);
/// The sum of elements of a tensor, of its dtype.
Value sumOf(const Tensor& tensor, const std::vector<Element>& elements);

/// The place that an index from memory names along a dimension of so many elements, and whether there is one from `least` on.
/// Whatever is in memory, no other element is read or written.
Place placeOf(Value index, int64_t extent, int64_t least = 0);
/// A place that counts from the end where it is negative.
Place fromEnd(const Place& place, int64_t extent);

/// A number as a vector of one element, other tensors as they are: where ATen indexes, the one stands for the other.
Tensor asVector(const Tensor& tensor);

/// A tensor of a type that is one value everywhere; 0; 0 with the type of a call's first output.
Tensor constant(const ir::TensorType& type, Value value);
Tensor zeros(ir::ExprPool& pool, const ir::TensorType& type);
Tensor zeros(const Context& c);

/// The element that the value at an index is combined with, or takes the place of.
using ElementOf = std::function<Element(const Index&)>;
/// `self` with its elements combined with values, one at each index of these sizes, as far as the elements exist; without an
/// operation a value takes the element's place, and all elements have to exist. On a GPU threads that combine with one element
/// wait for one another: where many values meet in each, they are spread over copies of the elements, which are combined
/// afterwards. Error: Unsupported for tensors of Bool that are combined.
Tensor scatteredTo(Context& c, std::optional<ir::Op> op, const Tensor& self, const ir::Shape& sizes, const ElementOf& element,
                   const std::function<Value(const Index&)>& value);

/// The places along the first dimensions, all but so many; those along the last ones, so many.
Index leading(const Index& index, std::size_t without);
Index trailing(const Index& index, std::size_t count);

}  // namespace lowering
