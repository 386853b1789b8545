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

/// Adds a block of elements, the first of which is at `position`, with vectors of this processor's; where all are finite, none
/// reaches what the dtype holds, and no zero has another sign than eager's, as is so of nearly all. Elsewhere it adds nothing and
/// returns false.
bool addNumbers(const Numbers& block, const Operands& operands, const Overflow& overflow, int64_t position, Tally& tally);

}  // namespace runtime
