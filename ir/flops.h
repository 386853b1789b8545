#pragma once

#include "ir/loops.h"

namespace ir {

/// Floating-point operations that loops need: each scalar operation on floating operands once for every point of the axes that
/// it depends on, functions such as exp counted as one, and one combination for every point of a reduction. Casts, selections
/// and index arithmetic are none.
double floatingPointOperations(const Loops& loops);

}  // namespace ir
