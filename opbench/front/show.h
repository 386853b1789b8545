#pragma once

#include <ostream>
#include <string>

#include "opbench/show/options.h"

namespace opbench {

/// `opbench show`: reads files of results and writes what was asked for to a pager, or to `out` where there is none; complaints
/// of the files go to `err`. Errors: Input, for files and fields that are not there.
void showResults(const ShowOptions& options, const std::string& pager, std::ostream& out, std::ostream& err, bool colour);

}  // namespace opbench
