#pragma once

#include <algorithm>
#include <cstdint>

#include "ir/target.h"
#include "lowering/heuristics/rows.h"

namespace lowering {

constexpr int widestVector = 16;  // bytes
constexpr int mostThreads = 1024;
constexpr int mostCtas = 16;             // of a cluster
constexpr int64_t registerVectors = 8;   // that a thread holds
constexpr int64_t sharedBytes = 102400;  // of a CTA: two fit on a multiprocessor

/// Threads that a row takes if so many of them have something to do: a part of a warp that shuffles can combine, or warps.
int64_t groupOf(int64_t threads);

/// Divides a row among so many CTAs: its runs, and where these are fewer each run as well.
void divide(RowTiling& tiling, int64_t ctas);

/// Lays a CTA's share of a row over at most so many threads that take about `steps` vectors each.
void layOut(RowTiling& tiling, int64_t steps, int threads = mostThreads);

/// As many CTAs on a multiprocessor as it takes to have all of them running, but no more than have the registers they need. Those
/// of a cluster start together, and leave a few places empty.
void chooseResident(RowTiling& tiling, int64_t most, const ir::Target& target);

}  // namespace lowering
