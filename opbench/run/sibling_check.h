#pragma once

#include <functional>

#include "opbench/run/pipeline.h"

namespace opbench {

/// Carries a sample, in the dtype that was asked for, through its stages, and notes in its row what becomes of the contenders.
using RaceWorkload = std::function<void(const inputs::Sample& sample, Row& row, const Bench& bench)>;

/// Checks the contenders that were right on a sample on as many of its siblings as are asked for (CheckSettings::siblings), in an
/// order that the seed gives, without timing them. Library calls and views are left out: ATen computes them. One that is wrong on
/// a sibling is wrong, for a reason that has the sibling's call; one that refuses it is not, unless its kernels are generated and
/// fail. A sibling that ATen refuses does not count.
void checkSiblings(const inputs::Sample& recorded, Row& row, const Bench& bench, const RaceWorkload& race);

}  // namespace opbench
