#pragma once

#include <vector>

#include "lowering/analysis/iteration_domain.h"

namespace lowering {

/// By dim: whether points at different indices along it accumulate in different elements, wherever they are along the others.
std::vector<bool> ownedDims(const IterationDomain& domain);

/// Whether several points may accumulate in one element.
bool pointsMeet(const IterationDomain& domain);

}  // namespace lowering
