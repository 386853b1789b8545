#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "inputs/sample.h"

namespace inputs {

/// A call of the same operator on tensors of other sizes, or laid out otherwise.
struct Sibling {
  Sample sample;
  std::string what;  ///< how it differs: `size 768 is 767`, `transposed`
  /// What it tells more of than others of its kind: the largest odd size, or elements with gaps between them.
  enum class Tells { OfSizes, OfStrides, Else } tells = Tells::Else;
};

/// The most bytes that a sibling's arguments take in checks.
inline constexpr int64_t mostSiblingBytes = int64_t{64} << 20;

/// Siblings of a sample's call: a size is 1, odd, 0, or so large that a tensor has more than 2^18 elements; tensors are
/// transposed, have gaps between their rows or between their elements, or repeat one element along a dimension. A size is changed
/// wherever it occurs, in all tensors and among all integers, so that what belonged together still does; ATen may refuse some of
/// them all the same. Tensors whose elements the sample gives stay as they are, and so does the size of a gradient that is the
/// call's only tensor and follows from its integers (`slice_backward`). A sibling is left out where its arguments take more than
/// `mostBytes` and more than the sample's, and where it equals another one. Networks and regions have no siblings.
std::vector<Sibling> siblingsOf(const Sample& sample, int64_t mostBytes);

/// The siblings in an order that a seed gives, but one that tells of sizes first, and then one that tells of strides.
std::vector<Sibling> mostTellingFirst(std::vector<Sibling> siblings, uint64_t seed);

}  // namespace inputs
