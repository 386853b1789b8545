#pragma once

#include <string>

#include "opbench/report/summary.h"
#include "opbench/results/row.h"

namespace opbench::report {

/// The remarks on a sample, lines below its own: ceilings that it raised, a first attempt that failed, a check that a trivial
/// solution passes, contenders whose runs differ. Empty where there are none.
std::string remarks(const Row& row, bool colour);
/// The lines of a contender's totals that count the samples with each remark.
std::string remarks(const ContenderSummary& contender, bool colour);

}  // namespace opbench::report
