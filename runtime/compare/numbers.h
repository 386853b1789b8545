#pragma once

#include "runtime/compare/tally.h"

namespace runtime {

/// How many elements addNumbers() takes.
inline constexpr int64_t numbersOfBlock = 512;

/// Neighbouring elements of the three operands.
struct Numbers {
  const double* found;
  const double* eager;
  const double* reference;
};

/// Adds a block of elements by vectors of the processor's width. `position` is the first element's. A block with an element that
/// is not finite, or beyond the dtype's numbers, or a zero of another sign than eager's, is not added: false.
bool addNumbers(const Numbers& block, const Limits& limits, int64_t position, Tally& tally);

}  // namespace runtime
