#pragma once

#include <string>
#include <vector>

#include "opbench/report/summary.h"
#include "opbench/results/record.h"
#include "opbench/results/row.h"

namespace opbench::report {

/// A text as a field: in quotes where it would end the field, and no formula to a spreadsheet.
std::string csvField(const std::string& text);

/// A line for each sample and contender, by the names that the --json lines have; times in microseconds, what is absent empty.
std::string samplesCsv(const std::vector<results::Record>& records);

/// The table of PyTorch's operatorbench (benchmarks/dynamo/microbenchmarks/operatorbench.py): `Operator,opbench
/// 20th,opbench 50th,opbench 80th` and the same for every further contender, the quantiles of the speedups over the
/// baseline with six decimals. Operators without any speedup are left out; a contender without one has empty fields.
std::string csv(const Summary& summary, const Run& run);

}  // namespace opbench::report
