#pragma once

#include <string>
#include <string_view>

#include "opbench/results/row.h"

namespace opbench::results {

/// Lines of one sample, which gets another number and becomes one of a run of other samples (Run::samples, recorded, selection);
/// their sums are made anew, all else stays.
std::string renumbered(std::string_view lines, int index, const Run& run);

}  // namespace opbench::results
