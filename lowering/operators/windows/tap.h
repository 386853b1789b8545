#pragma once

#include <vector>

#include "lowering/tensor/places.h"

namespace lowering {

/// A place along a dimension of an image, and the weight of the element there.
struct Tap {
  Place place;
  Value weight;
};

/// The tap of a number that is an axis.
Tap numbered(const std::vector<Tap>& taps, Value number);

/// The weighted sum of the elements at an index that goes on with every combination of taps along the next dimensions, added up
/// along the last dimension first, as ATen does it.
Value weightedSum(const Tensor& x, const Element& first, const std::vector<std::vector<Tap>>& next);
/// The same, added up along one of these dimensions first, which counts from 0.
Value weightedSum(const Tensor& x, const Element& first, const std::vector<std::vector<Tap>>& next, std::size_t soonest);

}  // namespace lowering
