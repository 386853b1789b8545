#pragma once

#include "lowering/tensor/lowering.h"
#include "lowering/tensor/places.h"

namespace lowering {

/// The number of an element among the elements of the last dimensions.
Value numberOf(const Index& index, const ir::Shape& sizes, std::size_t dims);

/// A window's largest element, and its number.
struct Largest {
  Value value, number;
};
/// The first of several, the last NaN if there is one; `first` is the number that ATen returns for a window of -inf.
Largest largestOf(const Tensor& x, const std::vector<Element>& elements, Value first, std::size_t dims);

/// The element of a tensor of these sizes whose number, among the elements of the last dimensions, `numbers` has at an index.
ElementOf elementsNumbered(const Tensor& numbers, const ir::Shape& sizes, std::size_t dims);

}  // namespace lowering
