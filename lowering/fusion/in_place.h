#pragma once

#include <cstddef>
#include <vector>

#include "ir/loops.h"

namespace lowering {

// Unsupported errors where memory would be read that was written already.

/// Elements of a buffer that is written in place may be read only where and when they are written, and not where values
/// accumulate.
void checkInPlace(const ir::Loops& loops);

/// Loops run one after another: what earlier ones have written in place, later ones may not read, but accumulate in.
/// Values from `firstIntermediate` on are written to be read.
void checkOrder(const std::vector<ir::Loops>& all, std::size_t firstIntermediate);

}  // namespace lowering
