#pragma once

#include <vector>

#include "ir/loops.h"

namespace lowering {

/// Loops whose axes are two, or more, where indices divide them: a column of a matrix of windows that is a row and a column of an
/// image, or a row of a view that reductions sum. What is then read lies at steps of these. An axis is split by divisors that
/// divide its extent, each a multiple of the one before. Loops stay as they are where rows would become short, and scans.
std::vector<ir::Loops> splitAxes(std::vector<ir::Loops> all);

}  // namespace lowering
