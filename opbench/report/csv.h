#pragma once

#include <string>

#include "opbench/report/summary.h"
#include "opbench/run/row.h"

namespace opbench::report {

/// A text as a field: in quotes where it would end the field, and no formula to a spreadsheet.
std::string csvField(const std::string& text);

/// The table of PyTorch's operatorbench (benchmarks/dynamo/microbenchmarks/operatorbench.py): `Operator,opbench
/// 20th,opbench 50th,opbench 80th` and the same for every further contender, the quantiles of the speedups over the
/// baseline with six decimals. Operators without any speedup are left out; a contender without one has empty fields.
std::string csv(const Summary& summary, const Run& run);

}  // namespace opbench::report
