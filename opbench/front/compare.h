#pragma once

#include <ostream>
#include <vector>

#include "opbench/compare/options.h"
#include "opbench/results/read.h"

namespace opbench {

/// `opbench compare`: reads both files, prints the comparison to `out` and complaints to `err`, and writes the files asked
/// for; whether nothing is there that --fail-on names. Errors: Input, for files that cannot be read, written or (without
/// --force) compared.
bool compareFiles(const CompareOptions& options, std::ostream& out, std::ostream& err, bool colour, int room);

/// compareFiles() of results that were read.
bool compareRuns(const CompareOptions& options, std::vector<results::Results> base, std::vector<results::Results> candidate,
                 std::ostream& out, std::ostream& err, bool colour, int room);

/// Errors: Input, for results that are not comparable.
void refuseUnlike(const results::Results& base, const results::Results& candidate);

}  // namespace opbench
