#pragma once

#include <vector>

#include "lowering/analysis/iteration_domain.h"

namespace lowering {

/// By dim: whether points at different indices along it accumulate in different elements, wherever they are along the others.
std::vector<bool> ownedDims(const IterationDomain& domain);

/// The first dim that is not owned; the number of dims where all are.
std::size_t firstShared(const std::vector<bool>& owned);

/// Whether several points may accumulate in one element.
bool pointsMeet(const IterationDomain& domain);

}  // namespace lowering
