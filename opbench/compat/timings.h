#pragma once

#include <string>
#include <vector>

#include "ir/dtype.h"
#include "opbench/results/row.h"
#include "opbench/settings/selection.h"

namespace opbench {

/// The lines that operatorbench prints of a run, with opbench in Inductor's place and torchscript in nvfuser's: of each operator
/// `Running OP`, `Iter I` of each sample, errors, and its results. Rows are in the samples' order.
std::string operatorbenchLines(const std::vector<Row>& rows, const SelectionSettings& selection);

/// The results alone, which it appends to its file of timings: quantiles of eager's median time over the contender's.
std::string operatorbenchResults(const std::vector<Row>& rows);

/// The name of that file: `timings_timm_allfloat16.txt`; empty unless all operators are asked for.
std::string timingsFile(const SelectionSettings& selection, ir::DType dtype);

}  // namespace opbench
