#pragma once

#include <string>
#include <vector>

#include "opbench/report/console.h"
#include "opbench/results/row.h"

namespace opbench::report {

/// The contenders of a network, a line each: medians and p20..p80 of each phase and of the whole, the ratio to the first one's
/// time with its interval, who computed; and why one has no time.
std::string networkTable(const Row& row, const Run& run, const Layout& layout);

}  // namespace opbench::report
