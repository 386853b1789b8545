#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <variant>
#include <vector>

#include "inputs/call.h"

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

/// The whole numbers that an operator takes.
struct Limits {
  int64_t least = std::numeric_limits<int64_t>::min(), most = std::numeric_limits<int64_t>::max();
  std::optional<int64_t> other = {};  ///< one more, such as the number of a target that is ignored

  bool hold(int64_t value) const { return (least <= value && value <= most) || value == other; }
  bool isEverything() const { return hold(std::numeric_limits<int64_t>::min()) && hold(std::numeric_limits<int64_t>::max()); }
};

/// What a tensor argument is drawn from, and what a sample may give.
struct Domain {
  ValueRange drawn = Plain{};
  Limits legal = {};
};

// Domains that operators of several families have.

inline constexpr Uniform probability{0, 1}, sine{-0.99, 0.99}, variance{0.5, 2};

/// Indices in a dimension of so many elements. Error: Unsupported where there are indices and no elements.
Domain below(int64_t bound, const ir::TensorType& indices);
/// Indices where a negative one counts from the end.
Domain fromEnd(Domain domain);
/// A domain that draws the number that stands for none once in eight times, but never first, so that something is left.
Domain orNone(Domain domain, int64_t none);
/// A domain that is drawn by position instead.
Domain drawnBy(Domain domain, std::function<int64_t(const ir::Shape& at, uint64_t random)> value);
/// One number everywhere where two of the values may meet in an element, so that the result does not depend on the order of the
/// writes.
Domain equalIf(bool mayMeet);
/// Whether a sample gives an index twice.
bool isRepeated(const ir::Argument::Elements& given);
/// Indices along a dimension of the first argument, for calls `(self, dim, index, ...)`.
Domain alongDim(const Call& call);

}  // namespace inputs
