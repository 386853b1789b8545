#include "lowering/operators/windows/maxima.h"

#include <utility>

namespace lowering {

Value numberOf(const Index& index, const ir::Shape& sizes, std::size_t dims) {
  return simplified(flattened(trailing(index, dims), ir::Shape(sizes.end() - static_cast<std::ptrdiff_t>(dims), sizes.end())));
}

Largest largestOf(const Tensor& x, const std::vector<Element>& elements, Value first, std::size_t dims) {
  const Value least{first.pool(), first.pool().identity(ir::Op::Max, x.dtype)};
  Largest found{least, first};
  for (const Element& element : elements) {
    const Value value = read(x, element, least);
    Value isBetter = value > found.value;
    if (ir::isFloating(x.dtype)) isBetter = isBetter | isNan(value);
    found = {where(isBetter, value, found.value), where(isBetter, numberOf(element.index, x.sizes, dims), found.number)};
  }
  return found;
}

ElementOf elementsNumbered(const Tensor& numbers, const ir::Shape& sizes, std::size_t dims) {
  const ir::Shape plane(sizes.end() - static_cast<std::ptrdiff_t>(dims), sizes.end());
  return [=](const Index& index) {
    const Place place = placeOf(numbers.at(index), numelOf(plane));
    Index at = leading(index, dims);
    for (const Value& one : unflattened(place.at, plane)) at.push_back(simplified(one));
    return Element{std::move(at), place.exists};
  };
}

}  // namespace lowering
