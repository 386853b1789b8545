#pragma once

#include <string>

#include "opbench/results/row.h"

namespace opbench::results {

/// The fields that all lines of a run have in common, as an object.
std::string runJson(const Run& run);
/// One JSON object a line, one line a contender of the row; times in microseconds, rates in GB/s (1e9), null for what was not
/// measured. Each ends with its sum (results/sum.h).
std::string jsonLines(const Row& row, const Run& run);

}  // namespace opbench::results
