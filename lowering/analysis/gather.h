#pragma once

#include "lowering/analysis/iteration_domain.h"

namespace lowering {

/// Whether a load's address, as far as it is not affine, or its mask depends on a dim.
bool isIrregular(const IterationDomain& domain, const Access& load, std::size_t dim);

/// Bytes that a point reads at a place of its own, which are no vector of `lanes` along a dim; as often as masks let it.
double gatheredBytes(const IterationDomain& domain, std::size_t dim, int64_t lanes);

/// Up to `lanes` elements of a vector along a dim, halved until a vector gathers no more than `mostBytes`.
int lanesGathering(const IterationDomain& domain, std::size_t dim, int lanes, int64_t mostBytes);

}  // namespace lowering
