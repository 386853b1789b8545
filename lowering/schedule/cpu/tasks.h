#pragma once

#include "ir/target.h"
#include "lowering/analysis/iteration_domain.h"

namespace lowering {

/// Elements of a vector along a dim: two registers of the widest type that is read, written or summed along it, so that
/// loads and arithmetic overlap.
int cpuLanes(const ir::Loops& loops, const IterationDomain& domain, std::size_t dim, const ir::Target& target);

/// Lanes of the narrowest vector that holds so many elements, or of the widest one there is.
int lanesOf(int64_t elements);

/// Tasks of `elements` points each that are handed to a thread at a time: enough work to be worth waking it for.
int64_t cpuGrain(const ir::Loops& loops, const IterationDomain& domain, int64_t elements);

/// The most threads that are worth waking for all points.
int64_t cpuPieces(const ir::Loops& loops, const IterationDomain& domain);

}  // namespace lowering
