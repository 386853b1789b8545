#pragma once

#include <cstdint>
#include <functional>
#include <variant>

#include "inputs/sample.h"

namespace inputs {

/// Anything: what the distribution asked for (distribution.h) has; signed integers from -8 to 8, unsigned ones from 0 to 8.
struct Plain {};
/// As Plain, but never NaN or infinite.
struct Finite {};
/// As Plain, but without any special value (Distribution::Specials).
struct Tame {};
/// Floats between `low` and `high`; integers as Plain.
struct Uniform {
  double low = 0, high = 1;
};
/// |normal(0, 1)| + 1/16; integers from 1 to 8.
struct Positive {};
/// normal(0, 1) moved away from 0 by 1/16; integers from 1 to 8 or their negatives.
struct NonZero {
  bool isTame = false;  ///< without any special value
};
/// Floats that are multiples of 1/2 from -8 to 8, so that ties, zeros and thresholds are met; integers as Plain.
struct Halves {
  bool isFinite = false;  ///< never NaN or infinite
};
/// normal(0, 1), but one in eight is NaN and one in eight infinite; integers as Plain.
struct NonFinite {};
/// Integers from 0 to `bound` - 1.
struct Below {
  int64_t bound = 1;
};
/// Whole numbers by position: `value(coordinates, random bits)`. A coordinate along a dimension of stride 0 is always 0.
struct ByPosition {
  std::function<int64_t(const ir::Shape& at, uint64_t random)> value;
};

/// What the elements of a tensor argument are drawn from, so that the call means something: indices in range, divisors
/// that are not zero, variances that are positive.
using ValueRange = std::variant<Plain, Finite, Tame, Uniform, Positive, NonZero, Halves, NonFinite, Below, ByPosition>;

/// The domain of the tensor at position `argument` of the call, or of the `item`-th of the list there. Throws an
/// Unsupported error where the recorded arguments leave no valid value (an index into a dimension of size 0).
ValueRange valueRangeOf(const Sample& sample, size_t argument, size_t item = 0);

}  // namespace inputs
