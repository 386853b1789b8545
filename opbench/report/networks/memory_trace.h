#pragma once

#include <string>

#include "opbench/report/console.h"
#include "opbench/results/row.h"

namespace opbench::report {

/// Which parts of a network hold memory (Row::memoryTrace): the ten that add the most, the others together, and all; `isWhole`
/// has a line of each. Empty where that was not traced.
std::string memoryTrace(const Row& row, const Layout& layout, bool isWhole = false);

}  // namespace opbench::report
