#pragma once

#include "opbench/show/options.h"
#include "opbench/show/table.h"

namespace opbench::show {

/// The lines and columns that were asked for, in the order asked for. Errors: Input, as filterOf() and fieldNamed().
Table view(const Lines& lines, const ShowOptions& options);

}  // namespace opbench::show
