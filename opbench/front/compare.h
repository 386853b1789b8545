#pragma once

#include <ostream>

#include "opbench/compare/options.h"

namespace opbench {

/// `opbench compare`: reads both files, prints the comparison to `out` and complaints to `err`, and writes the files asked
/// for; whether nothing is there that --fail-on names. Errors: Input, for files that cannot be read, written or (without
/// --force) compared.
bool compareFiles(const CompareOptions& options, std::ostream& out, std::ostream& err, bool colour, int room);

}  // namespace opbench
