#pragma once

#include "runtime/compare/tally.h"

namespace runtime {

/// How many elements addBlock() takes.
inline constexpr int64_t numbersOfBlock = 512;

/// Neighbouring elements of the three operands.
struct Numbers {
  const double* found;
  const double* eager;
  const double* reference;
};

/// Adds a block of elements, whose first one is at `position`: by vectors of the processor's width, but for the elements that are
/// not finite, or beyond the dtype's numbers, or zeros of another sign than eager's.
void addBlock(const Numbers& block, const Limits& limits, int64_t position, Tally& tally);

}  // namespace runtime
