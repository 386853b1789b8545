#pragma once

#include "opbench/options.h"
#include "opbench/reporter.h"

namespace opbench {

/// `opbench repro`: writes the folder Options::output (`repro-OPERATOR` where it is empty) with what repeats the sample
/// (repro/folder.h), and runs what run.sh runs, which adds stages/, everything that --dump writes, and result.jsonl. Whether the
/// contender fared as recorded; true where nothing is recorded. Errors: Input; NoDevice, after the files are written.
bool reproduce(const Options& options, Streams streams);

}  // namespace opbench
