#pragma once

#include "opbench/results/row.h"

namespace opbench {

/// Whether an outcome that computes has a cold time clearly below the roofline.
bool isBeyondRoofline(const Row& row, const Run& run);

/// The run's ceilings, raised to what the row shows eager to reach by more than measurements differ: its kernels are trusted.
Ceilings reachedByEager(const Row& row, const Run& run);

/// Sets what follows from the timings: speedups over the first contender, and where something is computed bytes a second
/// and the share of the roofline, at most 1; a cold time clearly below the roofline makes the outcome Impossible.
void derive(Row& row, const Run& run);

}  // namespace opbench
