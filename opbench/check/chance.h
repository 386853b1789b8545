#pragma once

#include <vector>

#include "opbench/check/accuracy.h"
#include "runtime/workload.h"

namespace opbench {

/// How many runs of eager tell what chance makes of a workload.
inline constexpr int runsOfChance = 16;

/// The root mean square of each output.
std::vector<double> sizesOf(const runtime::TensorList& outputs);
/// Judges outputs that chance has a part in by size alone: the root mean square of each lies between the least and the largest of
/// eager's runs, or no further outside than these lie apart. All are given by their sizesOf().
Verdict judgeByChance(const std::vector<double>& found, const std::vector<std::vector<double>>& runs,
                      const runtime::Workload& workload);

}  // namespace opbench
