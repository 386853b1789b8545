#pragma once

#include <vector>

#include "opbench/results/record.h"
#include "opbench/settings/output.h"

namespace opbench::report {

/// The formats that are made of a file of results as a whole, by a race when it ends or by `opbench convert`: --dashboard,
/// --junit and --samples-csv.
bool wantsFormats(const OutputSettings& options);
/// Errors: Input where a file that is asked for cannot be written; asked before hours are spent on what is to be in it.
void checkFormats(const OutputSettings& options);
/// Writes the files asked for. Errors: Input.
void writeFormats(const std::vector<results::Record>& records, const OutputSettings& options);

}  // namespace opbench::report
