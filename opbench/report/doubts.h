#pragma once

#include <string>

#include "opbench/report/summary.h"
#include "opbench/run/row.h"

namespace opbench::report {

/// The lines below a sample's that say why its results, though right, are to be doubted: a first attempt that failed, a check
/// that says nothing, contenders whose runs differ. Nothing where there is no doubt.
std::string doubts(const Row& row, bool colour);
/// The lines of a contender's totals that count such samples.
std::string doubts(const Standing& standing, bool colour);

}  // namespace opbench::report
