#pragma once

#include "ir/target.h"
#include "lowering/analysis/iteration_domain.h"

namespace lowering {

/// Elements of a vector along a dim: two registers of the widest type that is read, written or summed along it, so that
/// loads and arithmetic overlap; no more than hold `most`.
int cpuLanes(const ir::Loops& loops, const IterationDomain& domain, std::size_t dim, int64_t most, const ir::Target& target);

/// Tasks of `elements` points each that are handed to a thread at a time: enough work to be worth waking it for.
int64_t cpuGrain(const ir::Loops& loops, const IterationDomain& domain, int64_t elements);

/// The most threads that are worth waking for all points.
int64_t cpuPieces(const ir::Loops& loops, const IterationDomain& domain);

/// Whether stores should bypass the caches: what is touched exceeds them, and results are written only, but for small ones.
bool exceedsCaches(const ir::Loops& loops, const ir::Target& target);

}  // namespace lowering
